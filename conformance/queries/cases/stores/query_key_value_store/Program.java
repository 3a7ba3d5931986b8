import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** Plain values; bounds are included, and a query for times is unknown. */
public class Program extends QueryCommands<KeyValueStore<String, String>> {
    @Override
    protected StoreBuilder<KeyValueStore<String, String>> store() {
        return Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore("store"), Serdes.String(), Serdes.String()
        );
    }

    @Override
    protected void put(final KeyValueStore<String, String> store, final String[] words) {
        store.put(words[1], word(words[2]));
    }
}
