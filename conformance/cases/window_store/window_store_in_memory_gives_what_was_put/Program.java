import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/** A window is found by its key and its exact start. */
public class Program extends WindowCommands<String> {
    @Override
    protected StoreBuilder<WindowStore<String, String>> store() {
        return Stores.windowStoreBuilder(
            Stores.inMemoryWindowStore("store", Duration.ofMillis(100000L), Duration.ofMillis(1000L), false),
            Serdes.String(),
            Serdes.String()
        );
    }

    @Override
    protected String value(final String text) {
        return text;
    }
}
