import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** Sessions by key, never by start. */
public class Program extends QueryCommands<SessionStore<String, String>> {
    @Override
    protected StoreBuilder<SessionStore<String, String>> store() {
        return Stores.sessionStoreBuilder(
            Stores.persistentSessionStore("store", Duration.ofMillis(100_000L)), Serdes.String(), Serdes.String()
        );
    }

    @Override
    protected void put(final SessionStore<String, String> store, final String[] words) {
        store.put(new Windowed<>(words[1], new SessionWindow(number(words[3]), number(words[3]) + 5)), word(words[2]));
    }
}
