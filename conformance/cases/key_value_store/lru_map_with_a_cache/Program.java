import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** What gives way is decided when the cache is flushed. */
public class Program extends KeyValueCommands {
    @Override
    protected StoreBuilder<KeyValueStore<String, String>> store() {
        return Stores.keyValueStoreBuilder(Stores.lruMap("store", 3), Serdes.String(), Serdes.String()).withCachingEnabled();
    }

    @Override
    public void configure(final Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
