import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.VersionedKeyValueStore;

/** Versions as of a time, and all that were valid between two times. */
public class Program extends QueryCommands<VersionedKeyValueStore<String, String>> {
    @Override
    protected StoreBuilder<VersionedKeyValueStore<String, String>> store() {
        return Stores.versionedKeyValueStoreBuilder(
            Stores.persistentVersionedKeyValueStore("store", Duration.ofMillis(100_000L)), Serdes.String(), Serdes.String()
        );
    }

    @Override
    protected void put(final VersionedKeyValueStore<String, String> store, final String[] words) {
        store.put(words[1], word(words[2]), number(words[3]));
    }
}
