import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.VersionedKeyValueStore;

/** Without history only the newest version is found, or one of just now. */
public class Program extends VersionedCommands {
    @Override
    protected StoreBuilder<VersionedKeyValueStore<String, String>> store() {
        return Stores.versionedKeyValueStoreBuilder(
            Stores.persistentVersionedKeyValueStore("store", Duration.ofMillis(0L)), Serdes.String(), Serdes.String()
        );
    }
}
