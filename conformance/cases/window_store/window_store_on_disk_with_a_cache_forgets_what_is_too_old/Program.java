import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/** What is cached is seen even if it is too old; it is dropped when it is flushed. */
public class Program extends WindowCommands<String> {
    @Override
    protected StoreBuilder<WindowStore<String, String>> store() {
        return Stores.windowStoreBuilder(
            Stores.persistentWindowStore("store", Duration.ofMillis(100000L), Duration.ofMillis(1000L), false),
            Serdes.String(),
            Serdes.String()
        ).withCachingEnabled();
    }

    @Override
    protected String value(final String text) {
        return text;
    }

    @Override
    public void configure(final Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
