import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;

/** A filter of a table with a store deletes only rows that it had kept. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>table("in", Materialized.as("rows")).filter((key, value) -> Integer.parseInt(value) % 2 == 0).toStream().to("out");
    }
}
