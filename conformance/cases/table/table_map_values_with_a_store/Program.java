import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** Mapped rows are kept in the store; a mapper that gives null deletes. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.mapValues(value -> value.equals("3") ? null : value + value, Materialized.as("doubled")).toStream().to("out");
    }
}
