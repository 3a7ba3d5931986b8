import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** A store halfway down gives old values to what is below it, not to itself. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> even = builder.<String, String>table("in").filter((key, value) -> Integer.parseInt(value) % 2 == 0, Materialized.as("even"));
        even.filter((key, value) -> !value.equals("4")).toStream().to("out");
        even.toStream().to("even");
    }
}
