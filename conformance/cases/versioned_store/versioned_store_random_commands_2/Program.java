import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.VersionedKeyValueStore;

/** Whatever comes in whatever order: versions and deletions, on time and late. */
public class Program extends VersionedCommands {
    @Override
    protected StoreBuilder<VersionedKeyValueStore<String, String>> store() {
        return Stores.versionedKeyValueStoreBuilder(
            Stores.persistentVersionedKeyValueStore("store", Duration.ofMillis(100L), Duration.ofMillis(25L)), Serdes.String(), Serdes.String()
        );
    }
}
