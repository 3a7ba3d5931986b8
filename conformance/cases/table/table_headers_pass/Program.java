import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;

/** A table's changes have the headers of their records. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.table("in", Materialized.as("rows")).toStream().to("out");
        builder.table("in2").mapValues(value -> value).toStream().to("out");
    }
}
