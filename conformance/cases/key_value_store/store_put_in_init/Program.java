import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** What is written before the first record is logged without a time. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("store"), Serdes.String(), Serdes.String()));
        builder.<String, String>stream("in").process(Early::new, "store").to("out");
    }

    static class Early extends ContextualProcessor<String, String, String, String> {
        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            KeyValueStore<String, String> store = context.getStateStore("store");
            store.put("early", "1");
        }

        public void process(Record<String, String> record) {
            KeyValueStore<String, String> store = context().getStateStore("store");
            context().forward(record.withValue(store.get("early")));
        }
    }
}
