import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** Old values come to a grouping through views that have no store. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.<String, String>table("in").filter((key, value) -> !value.equals("skip")).mapValues(value -> value.toUpperCase());
        table.groupBy((key, value) -> KeyValue.pair(value, key)).count(Materialized.as("counts")).toStream().to("out");
    }
}
