import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.Stores;

public class Program extends DslCase {
    @Override
    public void configure(final Properties config) {
        config.put("dsl.store.format", "HEADERS");
        config.put("dsl.store.suppliers.class", BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers.class);
        config.put("statestore.cache.max.bytes", "10000");
    }

    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        final KGroupedStream<String, String> grouped = builder.<String, String>stream("in").groupByKey();
        grouped.reduce(
            (one, other) -> one + other, Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("reduced")
        ).toStream().to("reduced");
        grouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofMillis(10)))
            .reduce(
                (one, other) -> one + other, Materialized.<String, String, SessionStore<Bytes, byte[]>>as("sessions"))
            .toStream()
            .map((key, value) -> KeyValue.pair(key.key(), value))
            .to("sessions");
        builder.<String, String>table("rows",
            Materialized.as(Stores.persistentVersionedKeyValueStore("versions", Duration.ofMillis(1000))))
            .toStream().to("rows-out");
    }
}
