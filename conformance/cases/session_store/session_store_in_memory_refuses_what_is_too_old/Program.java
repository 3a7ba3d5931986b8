import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** A put that is too old is dropped and counted; a removal is not. */
public class Program extends SessionCommands {
    @Override
    protected StoreBuilder<SessionStore<String, String>> store() {
        return Stores.sessionStoreBuilder(
            Stores.inMemorySessionStore("store", Duration.ofMillis(100000L)), Serdes.String(), Serdes.String()
        );
    }
}
