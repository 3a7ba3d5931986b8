import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** It is as small without a changelog. */
public class Program extends KeyValueCommands {
    @Override
    protected StoreBuilder<KeyValueStore<String, String>> store() {
        return Stores.keyValueStoreBuilder(Stores.lruMap("store", 2), Serdes.String(), Serdes.String()).withLoggingDisabled();
    }
}
