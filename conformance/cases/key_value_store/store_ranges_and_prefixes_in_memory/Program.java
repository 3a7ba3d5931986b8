import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Ranges include both ends, None is no bound, prefixes are of the serialized key; all in order of the bytes. */
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

        static String rows(KeyValueIterator<String, String> iterator) {
            List<String> rows = new ArrayList<>();
            try (iterator) {
                iterator.forEachRemaining(row -> rows.add(row.key + row.value));
            }
            return String.join(" ", rows);
        }

        public void process(Record<String, String> record) {
            KeyValueStore<String, String> store = context().getStateStore("store");
            for (String key : record.value().split(" ")) {
                store.put(key, String.valueOf(key.length()));
            }
            log.add(rows(store.all()));
            log.add(rows(store.reverseAll()));
            log.add(rows(store.range("b", "c")));
            log.add(rows(store.range(null, "bb")));
            log.add(rows(store.range("b", null)));
            log.add(rows(store.reverseRange("a", "bb")));
            log.add(rows(store.reverseRange(null, null)));
            log.add(rows(store.range("c", "a")));
            log.add(rows(store.reverseRange("c", "a")));
            log.add(rows(store.prefixScan("b", new StringSerializer())));
            log.add(rows(store.prefixScan("ba", new StringSerializer())));
            log.add(rows(store.prefixScan("zz", new StringSerializer())));
        }
    }
}
