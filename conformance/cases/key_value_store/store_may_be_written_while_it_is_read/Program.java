import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** An iterator shows the entries of its beginning, whatever is written meanwhile. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore("store"), Serdes.String(), Serdes.String()));
        builder.<String, String>stream("in").process(() -> new Mine(log), "store").to("out");
    }

    static class Mine extends ContextualProcessor<String, String, String, String> {
        final Log log;

        Mine(Log log) {
            this.log = log;
        }

        public void process(Record<String, String> record) {
            KeyValueStore<String, String> store = context().getStateStore("store");
            try (KeyValueIterator<String, String> all = store.all()) {
                while (all.hasNext()) {
                    KeyValue<String, String> row = all.next();
                    store.put(row.key + "'", row.value);
                    store.delete(row.key);
                }
            }
            store.put(record.key(), record.value());
            List<String> rows = new ArrayList<>();
            try (KeyValueIterator<String, String> all = store.all()) {
                all.forEachRemaining(row -> rows.add(row.key + "=" + row.value));
            }
            log.add(String.join(" ", rows));
        }
    }
}
