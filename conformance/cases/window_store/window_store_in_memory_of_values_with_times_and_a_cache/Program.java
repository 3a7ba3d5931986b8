import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.WindowStore;

/** The changelog has the times of the values, or of the record that deleted them. */
public class Program extends WindowCommands<ValueAndTimestamp<String>> {
    @Override
    @SuppressWarnings({"unchecked", "rawtypes"})
    protected StoreBuilder<WindowStore<String, ValueAndTimestamp<String>>> store() {
        return (StoreBuilder) Stores.timestampedWindowStoreBuilder(
            Stores.inMemoryWindowStore("store", Duration.ofMillis(100000L), Duration.ofMillis(1000L), false),
            Serdes.String(),
            Serdes.String()
        ).withCachingEnabled();
    }

    @Override
    protected ValueAndTimestamp<String> value(final String text) {
        final String[] parts = text.split("@");
        return ValueAndTimestamp.make(parts[0], Long.parseLong(parts[1]));
    }

    @Override
    protected String shownValue(final ValueAndTimestamp<String> pair) {
        return pair.value() + "@" + pair.timestamp();
    }

    @Override
    public void configure(final Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
