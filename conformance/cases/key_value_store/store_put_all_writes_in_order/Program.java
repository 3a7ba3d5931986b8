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

/** put_all writes entry by entry, deletions included. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("store"), Serdes.String(), Serdes.String()));
        builder.<String, String>stream("in").process(() -> new Mine(log), "store").to("out");
    }

    static class Mine extends ContextualProcessor<String, String, String, String> {
        final Log log;

        Mine(Log log) {
            this.log = log;
        }

        public void process(Record<String, String> record) {
            KeyValueStore<String, String> store = context().getStateStore("store");
            List<KeyValue<String, String>> entries = new ArrayList<>();
            for (String word : record.value().split(" ")) {
                entries.add(KeyValue.pair(word.substring(0, 1), word.length() == 1 ? null : word.substring(1)));
            }
            store.putAll(entries);
            List<String> rows = new ArrayList<>();
            try (KeyValueIterator<String, String> all = store.all()) {
                all.forEachRemaining(row -> rows.add(row.key + row.value));
            }
            log.add(String.join(" ", rows));
        }
    }
}
