import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/** Without retention nothing is seen any more once it is put. */
public class Program extends WindowCommands<String> {
    @Override
    protected StoreBuilder<WindowStore<String, String>> store() {
        return Stores.windowStoreBuilder(
            Stores.persistentWindowStore("store", Duration.ofMillis(0L), Duration.ofMillis(0L), false),
            Serdes.String(),
            Serdes.String()
        );
    }

    @Override
    protected String value(final String text) {
        return text;
    }
}
