import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.VersionedKeyValueStore;

/** A version that was replaced or deleted has an end; the newest has none. */
public class Program extends VersionedCommands {
    @Override
    protected StoreBuilder<VersionedKeyValueStore<String, String>> store() {
        return Stores.versionedKeyValueStoreBuilder(
            Stores.persistentVersionedKeyValueStore("store", Duration.ofMillis(100000L)), Serdes.String(), Serdes.String()
        );
    }
}
