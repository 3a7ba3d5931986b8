import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** Putting and getting is using; what gives way is deleted in the changelog. */
public class Program extends KeyValueCommands {
    @Override
    protected StoreBuilder<KeyValueStore<String, String>> store() {
        return Stores.keyValueStoreBuilder(Stores.lruMap("store", 3), Serdes.String(), Serdes.String());
    }
}
