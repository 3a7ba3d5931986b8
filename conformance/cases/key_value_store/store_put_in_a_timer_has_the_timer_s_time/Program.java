import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** What a timer writes is logged with the time it was fired with. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("store"), Serdes.String(), Serdes.String()));
        builder.<String, String>stream("in").process(Ticking::new, "store");
    }

    static class Ticking extends ContextualProcessor<String, String, String, String> {
        KeyValueStore<String, String> store;

        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            store = context.getStateStore("store");
            context.schedule(Duration.ofMillis(10), PunctuationType.STREAM_TIME, time -> store.put("stream", String.valueOf(time)));
            context.schedule(Duration.ofMillis(100), PunctuationType.WALL_CLOCK_TIME, time -> store.put("wall", String.valueOf(time)));
        }

        public void process(Record<String, String> record) {
            store.put(record.key(), record.value());
        }
    }
}
