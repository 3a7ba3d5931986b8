import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** Keys and ends in several segments: on disk by segment and key, in memory by end and key. */
public class Program extends SessionCommands {
    @Override
    protected StoreBuilder<SessionStore<String, String>> store() {
        return Stores.sessionStoreBuilder(
            Stores.inMemorySessionStore("store", Duration.ofMillis(100000L)), Serdes.String(), Serdes.String()
        );
    }
}
