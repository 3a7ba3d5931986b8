import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** Where the aggregates live makes no difference. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.groupBy((key, value) -> KeyValue.pair(value, key)).count(Materialized.<String, Long>as(Stores.inMemoryKeyValueStore("counts")).withLoggingDisabled()).toStream().to("out");
    }
}
