import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** A store without serdes has the default ones of the settings. */
public class Program extends KeyValueCommands {
    @Override
    protected StoreBuilder<KeyValueStore<String, String>> store() {
        return Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore("store"), null, null);
    }
}
