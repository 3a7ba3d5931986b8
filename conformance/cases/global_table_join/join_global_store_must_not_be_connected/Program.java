import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** A global store must not be named among a processor's stores. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        class Keep extends ContextualProcessor<String, String, Void, Void> {
            public void process(Record<String, String> record) {
                log.add("keep " + record.key() + " " + (record.value() == null ? "None" : record.value()) + " " + context().taskId());
                KeyValueStore<String, String> kept = context().getStateStore("kept");
                kept.put(record.key(), record.value() == null ? null : record.value().toUpperCase());
            }
        }
        class Ask extends ContextualProcessor<String, String, String, String> {
            public void process(Record<String, String> record) {
                KeyValueStore<String, String> kept = context().getStateStore("kept");
                String found = kept.get(record.key());
                context().forward(record.withValue(record.value() + " " + (found == null ? "None" : found)));
            }
        }

        builder.addGlobalStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("kept"), Serdes.String(), Serdes.String()), "right", Consumed.with(Serdes.String(), Serdes.String()), Keep::new);
        builder.<String, String>stream("left").process(Ask::new, "kept").to("out");
    }
}
