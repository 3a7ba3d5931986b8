import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedWindowStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;

/** Windows of values with times: queries show the times. */
public class Program extends QueryCommands<TimestampedWindowStore<String, String>> {
    @Override
    protected StoreBuilder<TimestampedWindowStore<String, String>> store() {
        return Stores.timestampedWindowStoreBuilder(
            Stores.persistentTimestampedWindowStore("store", Duration.ofMillis(100_000L), Duration.ofMillis(1_000L), false), Serdes.String(), Serdes.String()
        );
    }

    @Override
    protected void put(final TimestampedWindowStore<String, String> store, final String[] words) {
        store.put(words[1], words[2].equals("-") ? null : ValueAndTimestamp.make(words[2], number(words[3]) + 5), number(words[3]));
    }
}
