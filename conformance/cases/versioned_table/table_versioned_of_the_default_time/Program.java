import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** A view with a Materialized that has no name is not versioned, though it has no store either. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Materialized.as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMinutes(1))));
        KTable<String, String> view = table.mapValues(value -> value.toUpperCase(), Materialized.with(Serdes.String(), Serdes.String()));
        view.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("counts");
    }
}
