import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Of a scan that ends early only the cached rows that it read count as used. */
public class Program extends DslCase {
    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        builder.addStateStore(
            Stores.keyValueStoreBuilder(Stores.lruMap("store", 3), Serdes.String(), Serdes.String()).withCachingEnabled());
        builder.<String, String>stream("in").process(() -> new Clerk(), "store").to("out");
    }

    @Override
    public void configure(final Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 300);
    }

    private static final class Clerk extends ContextualProcessor<String, String, String, String> {
        @Override
        public void process(final Record<String, String> record) {
            final KeyValueStore<String, String> store = context().getStateStore("store");
            if (!record.value().equals("first")) {
                store.put(record.key(), record.value());
                return;
            }
            try (var rows = store.all()) {
                final var row = rows.next();
                context().forward(record.withValue(row.key + "=" + row.value));
            }
        }
    }
}
