import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.VersionedKeyValueStore;

/** Versions lie where they were replaced; short segments make them move. */
public class Program extends VersionedCommands {
    @Override
    protected StoreBuilder<VersionedKeyValueStore<String, String>> store() {
        return Stores.versionedKeyValueStoreBuilder(
            Stores.persistentVersionedKeyValueStore("store", Duration.ofMillis(50L), Duration.ofMillis(10L)), Serdes.String(), Serdes.String()
        );
    }
}
