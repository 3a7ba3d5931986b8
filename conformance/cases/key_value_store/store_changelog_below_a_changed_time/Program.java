import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** A processor below another one sees, and logs, the time that the one above has given. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("store"), Serdes.String(), Serdes.String()));
        KStream<String, String> stream = builder.<String, String>stream("in").process(Later::new);
        stream.process(Keep::new, "store").to("out");
        stream.mapValues(value -> value + "!").to("copy");
    }

    static class Later extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record.withTimestamp(record.timestamp() + 1000));
            context().forward(record.withTimestamp(record.timestamp() + 2000));
        }
    }

    static class Keep extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            KeyValueStore<String, String> store = context().getStateStore("store");
            store.put(record.key(), record.value());
            context().forward(record);
        }
    }
}
