import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedKeyValueStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;

/** A query says whether it wants the times of values. */
public class Program extends QueryCommands<TimestampedKeyValueStore<String, String>> {
    @Override
    protected StoreBuilder<TimestampedKeyValueStore<String, String>> store() {
        return Stores.timestampedKeyValueStoreBuilder(
            Stores.persistentTimestampedKeyValueStore("store"), Serdes.String(), Serdes.String()
        );
    }

    @Override
    protected void put(final TimestampedKeyValueStore<String, String> store, final String[] words) {
        store.put(words[1], words[2].equals("-") ? null : ValueAndTimestamp.make(words[2], number(words[3])));
    }
}
