import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;

/** A filter's own store does not tell it what to leave out, if the table above has none. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>table("in").filter((key, value) -> Integer.parseInt(value) % 2 == 0, Materialized.as("even")).toStream().to("out");
    }
}
