import java.time.Duration;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** Of a versioned table only the latest rows are in the groups. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Materialized.as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMinutes(1))));
        table.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("out");
        table.mapValues(value -> value + "!").groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("mapped");
    }
}
