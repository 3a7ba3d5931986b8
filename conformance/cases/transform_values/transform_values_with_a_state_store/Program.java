import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** A transformer may use stores; what it puts has the time of the record. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("changes"), Serdes.String(), Serdes.Integer()));

        KTable<String, String> table = builder.table("in");
        table.transformValues(Counting::new, "changes").toStream().to("out");
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
}
