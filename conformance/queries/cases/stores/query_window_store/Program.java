import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/** Windows by key or by start, never as sessions. */
public class Program extends QueryCommands<WindowStore<String, String>> {
    @Override
    protected StoreBuilder<WindowStore<String, String>> store() {
        return Stores.windowStoreBuilder(
            Stores.persistentWindowStore("store", Duration.ofMillis(100_000L), Duration.ofMillis(1_000L), false), Serdes.String(), Serdes.String()
        );
    }

    @Override
    protected void put(final WindowStore<String, String> store, final String[] words) {
        store.put(words[1], word(words[2]), number(words[3]));
    }
}
