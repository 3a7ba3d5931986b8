import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** The stores of a processor are described in the order of a hash set, and opened in it. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        List<String> names = List.of("zebra", "apple", "mango", "kiwi", "store-1", "store-2", "Aa", "BB");
        for (String name : names) {
            builder.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(name), Serdes.String(), Serdes.String()));
        }
        builder.<String, String>stream("in").process(() -> new WriteAll(names), names.toArray(new String[0]));
    }

    static class WriteAll extends ContextualProcessor<String, String, String, String> {
        final List<String> names;

        WriteAll(List<String> names) {
            this.names = names;
        }

        public void process(Record<String, String> record) {
            for (String name : names) {
                KeyValueStore<String, String> store = context().getStateStore(name);
                store.put(record.key(), record.value());
            }
        }
    }
}
