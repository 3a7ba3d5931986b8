import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/** Each put adds a row; no value adds none. */
public class Program extends WindowCommands<String> {
    @Override
    protected StoreBuilder<WindowStore<String, String>> store() {
        return Stores.windowStoreBuilder(
            Stores.persistentWindowStore("store", Duration.ofMillis(100000L), Duration.ofMillis(1000L), true),
            Serdes.String(),
            Serdes.String()
        );
    }

    @Override
    protected String value(final String text) {
        return text;
    }
}
