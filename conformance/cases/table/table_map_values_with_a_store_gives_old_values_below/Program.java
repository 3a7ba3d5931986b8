import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** The store of a mapped table knows the old values for the filter below it. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> doubled = builder.<String, String>table("in").mapValues(value -> value + value, Materialized.as("doubled"));
        doubled.filter((key, value) -> value.compareTo("33") < 0).toStream().to("out");
    }
}
