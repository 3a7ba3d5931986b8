import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** add_state_store connects processors by name; later connections unite what was apart. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("one", "in").addProcessor("write", Write::new, "one");
        result.addSource("three", "third").addSink("copy", "copy", "three");
        result.addSource("two", "reads").addProcessor("read", Read::new, "two").addSink("sink", "out", "read");
        result.addStateStore(
            Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore("shared"), Serdes.String(), Serdes.String()), "write"
        );
        result.connectProcessorAndStateStores("read", "shared");
        return result;
    }

    static class Write extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            KeyValueStore<String, String> store = context().getStateStore("shared");
            store.put(record.key(), record.value());
        }
    }

    static class Read extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            KeyValueStore<String, String> store = context().getStateStore("shared");
            context().forward(record.withValue(store.get(record.key())));
        }
    }
}
