import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** The same store may be added twice. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        StoreBuilder<?> store = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("store"), Serdes.String(), Serdes.String());
        builder.addStateStore(store).addStateStore(store);
        builder.<String, String>stream("in").process(Keep::new, "store");
    }

    static class Keep extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            KeyValueStore<String, String> store = context().getStateStore("store");
            store.put(record.key(), record.value());
        }
    }
}
