import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** What a timer writes into a cached store is flushed at the commit after it. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.addStateStore(
            Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("store"), Serdes.String(), Serdes.String()).withCachingEnabled()
        );
        builder.<String, String>stream("in").process(Ticking::new, "store");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }

    static class Ticking extends ContextualProcessor<String, String, String, String> {
        KeyValueStore<String, String> store;

        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            store = context.getStateStore("store");
            context.schedule(Duration.ofMillis(100), PunctuationType.WALL_CLOCK_TIME, this::tick);
            context.schedule(Duration.ofMillis(10), PunctuationType.STREAM_TIME, this::tick);
        }

        void tick(long timestamp) {
            store.put("tick", String.valueOf(timestamp));
            store.put("tock", "1");
            store.put("tock", null);
        }

        public void process(Record<String, String> record) {
            store.put(record.key(), record.value());
            store.put("tick", "record");
        }
    }
}
