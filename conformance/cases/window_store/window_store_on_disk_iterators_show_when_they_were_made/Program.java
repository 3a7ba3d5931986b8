import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/** A put does not make rows expire that an iterator of a store on disk was asked for before. */
public class Program extends DslCase {
    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        builder.addStateStore(Stores.windowStoreBuilder(
            Stores.persistentWindowStore("store", Duration.ofMillis(120000L), Duration.ofMillis(1000L), false),
            Serdes.String(),
            Serdes.String()
        ));
        builder.<String, String>stream("in").process(() -> new Clerk(), "store").to("out");
    }

    private static final class Clerk extends ContextualProcessor<String, String, String, String> {
        @Override
        public void process(final Record<String, String> record) {
            final WindowStore<String, String> store = context().getStateStore("store");
            store.put("a", "1", 30000L);
            store.put("a", "2", 120000L);
            final Map<String, KeyValueIterator<?, String>> opened = new LinkedHashMap<>();
            opened.put("fetch", store.fetch("a", 0L, 120000L));
            opened.put("fetch_range", store.fetch("a", "b", 0L, 120000L));
            opened.put("fetch_all", store.fetchAll(0L, 120000L));
            opened.put("backward_fetch_all", store.backwardFetchAll(0L, 120000L));
            store.put("a", "3", 150000L);
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
