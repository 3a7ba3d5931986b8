import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Keys come in the order of their serialized bytes: negative numbers after positive ones. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("store"), Serdes.Integer(), Serdes.String()));
        builder.<String, String>stream("in").process(() -> new Mine(log), "store").to("out");
    }

    static class Mine extends ContextualProcessor<String, String, String, String> {
        final Log log;

        Mine(Log log) {
            this.log = log;
        }

        static String keys(KeyValueIterator<Integer, String> iterator) {
            List<String> keys = new ArrayList<>();
            try (iterator) {
                iterator.forEachRemaining(row -> keys.add(String.valueOf(row.key)));
            }
            return String.join(" ", keys);
        }

        public void process(Record<String, String> record) {
            KeyValueStore<Integer, String> store = context().getStateStore("store");
            store.put(Integer.parseInt(record.value()), record.key());
            log.add(keys(store.all()));
            log.add(keys(store.range(0, null)));
        }
    }
}
