import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** A global store in a topology that is built by hand. */
public class Program implements Case {
    public Topology topology(Log log) {
        class Keep extends ContextualProcessor<String, String, Void, Void> {
            public void process(Record<String, String> record) {
                KeyValueStore<String, String> kept = context().getStateStore("kept");
                kept.put(record.key(), record.value());
            }
        }
        class Ask extends ContextualProcessor<String, String, String, String> {
            public void process(Record<String, String> record) {
                KeyValueStore<String, String> kept = context().getStateStore("kept");
                context().forward(record.withValue(record.value() + " " + kept.get(record.key())));
            }
        }
        StoreBuilder<KeyValueStore<String, String>> store = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("kept"), Serdes.String(), Serdes.String());
        return new Topology()
            .addSource("source", new StringDeserializer(), new StringDeserializer(), "left")
            .addGlobalStore(store, "all", new StringDeserializer(), new StringDeserializer(), "right", "keep", Keep::new)
            .addProcessor("ask", Ask::new, "source")
            .addSink("sink", "out", new StringSerializer(), new StringSerializer(), "ask");
    }
}
