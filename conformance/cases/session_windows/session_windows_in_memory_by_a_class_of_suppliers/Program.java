import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.SessionStore;

/** The class of store suppliers goes before default.dsl.store. */
public class Program extends DslCase {
    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        final KStream<String, String> stream = builder.stream("in");
        stream.groupByKey()
            .windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofMillis(5L)))
            .count(Materialized.as("counts"));
        stream.process(() -> new Show(), "counts").to("out");
    }

    @Override
    public void configure(final Properties config) {
        config.put(StreamsConfig.DEFAULT_DSL_STORE_CONFIG, StreamsConfig.ROCKS_DB);
        config.put(
            StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers.class
        );
    }

    private static final class Show extends ContextualProcessor<String, String, String, String> {
        @Override
        public void process(final Record<String, String> record) {
            final SessionStore<String, Long> store = context().getStateStore("counts");
            final List<String> shown = new ArrayList<>();
            try (var rows = store.fetch((String) null, (String) null)) {
                rows.forEachRemaining(row -> shown.add(row.key + "=" + row.value));
            }
            context().forward(record.withValue(String.join(" ", shown)));
        }
    }
}
