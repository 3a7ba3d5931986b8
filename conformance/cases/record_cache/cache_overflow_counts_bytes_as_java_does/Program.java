import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** How much fits is measured to the byte: topic and value count. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.addStateStore(
            Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("store"), Serdes.String(), Serdes.String()).withCachingEnabled()
        );
        builder.<String, String>stream("in").process(Write::new, "store").to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 148);
    }

    static class Write extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            KeyValueStore<String, String> store = context().getStateStore("store");
            for (String word : record.value().split(" ")) {
                store.put(word.substring(0, 1), word.length() == 1 ? null : word.substring(1));
            }
            List<String> rows = new ArrayList<>();
            try (KeyValueIterator<String, String> all = store.all()) {
                all.forEachRemaining(row -> rows.add(row.key + row.value));
            }
            context().forward(record.withValue(String.join(" ", rows)));
        }
    }
}
