import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Processors that share a store run in one task: their sub-topologies are one. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.stream("other").to("copy");
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("shared"), Serdes.String(), Serdes.String()));
        builder.<String, String>stream("writes").process(Write::new, "shared");
        builder.stream("alone").filter((key, value) -> true).to("copy");
        builder.<String, String>stream("reads").process(Read::new, "shared").to("out");
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
