import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/** The end of a window is the end of time if it would be later. */
public class Program extends WindowCommands<String> {
    @Override
    protected StoreBuilder<WindowStore<String, String>> store() {
        return Stores.windowStoreBuilder(
            Stores.inMemoryWindowStore("store", Duration.ofMillis(Long.MAX_VALUE), Duration.ofMillis(Long.MAX_VALUE), false),
            Serdes.String(),
            Serdes.String()
        );
    }

    @Override
    protected String value(final String text) {
        return text;
    }
}
