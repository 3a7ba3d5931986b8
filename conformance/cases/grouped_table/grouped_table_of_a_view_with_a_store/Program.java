import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** A view with a store knows the old values itself. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.<String, String>table("in").mapValues(value -> value.toUpperCase(), Materialized.as("shouts"));
        table.groupBy((key, value) -> KeyValue.pair(value, key)).count(Materialized.as("counts")).toStream().to("out");
    }
}
