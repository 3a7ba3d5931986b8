import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** put, get, put_if_absent and delete; each change is in the changelog, a deletion of nothing too. */
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

        static String said(String value) {
            return value == null ? "None" : value;
        }

        public void process(Record<String, String> record) {
            KeyValueStore<String, String> store = context().getStateStore("store");
            String value = record.value();
            if (value == null) {
                store.put(record.key(), null);
            } else if (value.equals("get")) {
                log.add(said(store.get(record.key())));
            } else if (value.equals("delete")) {
                log.add(said(store.delete(record.key())));
            } else if (value.startsWith("?")) {
                log.add(said(store.putIfAbsent(record.key(), value)));
            } else {
                store.put(record.key(), value);
            }
        }
    }
}
