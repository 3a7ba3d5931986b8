import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.Stores;

/** A put does not make rows expire that an iterator of a store on disk was asked for before. */
public class Program extends DslCase {
    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        builder.addStateStore(Stores.sessionStoreBuilder(
            Stores.persistentSessionStore("store", Duration.ofMillis(120000L)), Serdes.String(), Serdes.String()
        ));
        builder.<String, String>stream("in").process(() -> new Clerk(), "store").to("out");
    }

    private static Windowed<String> session(final long start, final long end) {
        return new Windowed<>("a", new SessionWindow(start, end));
    }

    private static final class Clerk extends ContextualProcessor<String, String, String, String> {
        @Override
        public void process(final Record<String, String> record) {
            final SessionStore<String, String> store = context().getStateStore("store");
            store.put(session(10L, 30000L), "1");
            store.put(session(100000L, 120000L), "2");
            final Map<String, KeyValueIterator<?, String>> opened = new LinkedHashMap<>();
            opened.put("find", store.findSessions("a", 0L, 120000L));
            opened.put("find_range", store.findSessions("a", "b", 0L, 120000L));
            opened.put("backward_find", store.backwardFindSessions("a", 0L, 120000L));
            store.put(session(150000L, 150000L), "3");
            opened.forEach((name, rows) -> {
                final List<String> shown = new ArrayList<>();
                while (rows.hasNext()) {
                    final KeyValue<?, String> row = rows.next();
                    shown.add(row.key + "=" + row.value);
                }
                rows.close();
                context().forward(record.withValue(name + ": " + String.join(" ", shown)));
            });
        }
    }
}
