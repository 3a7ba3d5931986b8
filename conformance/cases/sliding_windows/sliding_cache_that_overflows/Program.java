import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.TimestampedWindowStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.WindowStore;

public class Program extends DslCase {
    @Override
    public void configure(final Properties config) {
        config.put("statestore.cache.max.bytes", 1000);
    }

    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        builder.<String, String>stream("in")
            .groupByKey()
            .windowedBy(SlidingWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(16000), Duration.ofMillis(40000)))
            .count(Materialized.<String, Long, WindowStore<Bytes, byte[]>>as("counts").withStoreType(BuiltInDslStoreSuppliers.ROCKS_DB))
            .toStream()
            .map((window, count) -> KeyValue.pair(window.key() + "@" + window.window().start(), count.toString()))
            .to("out");
        builder.<String, String>stream("look").process(() -> new Look(log), "counts");
    }

    private static final class Look implements Processor<String, String, String, String> {
        private final Log log;
        private TimestampedWindowStore<String, Long> counts;

        Look(final Log log) {
            this.log = log;
        }

        @Override
        public void init(final ProcessorContext<String, String> context) {
            counts = context.getStateStore("counts");
        }

        @Override
        public void process(final Record<String, String> record) {
            try (KeyValueIterator<Windowed<String>, ValueAndTimestamp<Long>> all = counts.all()) {
                all.forEachRemaining(
                    row -> log.add(row.key.key() + "@" + row.key.window().start() + " " + row.value.value()));
            }
        }
    }
}
