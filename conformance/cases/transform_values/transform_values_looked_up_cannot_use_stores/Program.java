import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Where a row is looked up, the transformer's stores are not connected. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("changes"), Serdes.String(), Serdes.Integer()));

        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.<String, String>table("right").transformValues(Counting::new, "changes");
        left.join(right, Program::joined).toStream().to("out");
    }

    static class Counting implements ValueTransformerWithKey<String, String, String> {
        private KeyValueStore<String, Integer> counts;

        @Override
        public void init(ProcessorContext context) {
            counts = context.getStateStore("changes");
        }

        @Override
        public String transform(String key, String value) {
            Integer before = counts.get(key);
            int count = before == null ? 1 : before + 1;
            counts.put(key, count);
            return (value == null ? "None" : value) + " #" + count;
        }

        @Override
        public void close() {}
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
