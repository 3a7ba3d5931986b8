import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.TimestampedWindowStore;

/** With default.dsl.store in_memory the store of a verb is one in memory: read by time, then key. */
public class Program extends DslCase {
    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        final KStream<String, String> stream = builder.stream("in");
        stream.groupByKey()
            .windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(10L)))
            .count(Materialized.as("counts"));
        stream.process(() -> new Show(), "counts").to("out");
    }

    @Override
    public void configure(final Properties config) {
        config.put(StreamsConfig.DEFAULT_DSL_STORE_CONFIG, StreamsConfig.IN_MEMORY);
    }

    private static final class Show extends ContextualProcessor<String, String, String, String> {
        @Override
        public void process(final Record<String, String> record) {
            final TimestampedWindowStore<String, Long> store = context().getStateStore("counts");
            final List<String> shown = new ArrayList<>();
            try (var rows = store.all()) {
                rows.forEachRemaining(row -> shown.add(row.key + "=" + row.value.value()));
            }
            context().forward(record.withValue(String.join(" ", shown)));
        }
    }
}
