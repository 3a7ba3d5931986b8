import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** The processing handler is asked about records of a global store where the setting says so. */
public class Program extends DslCase {
    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        builder.addGlobalStore(
            Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("kept"), Serdes.String(), Serdes.String()),
            "right",
            Consumed.with(Serdes.String(), Serdes.String()),
            Keep::new);
        builder.<String, String>stream("left").process(Ask::new).to("out");
    }

    @Override
    public void configure(final Properties config) {
        config.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
        config.put("processing.exception.handler.global.enabled", true);
    }

    private static final class Keep extends ContextualProcessor<String, String, Void, Void> {
        @Override
        public void process(final Record<String, String> record) {
            if (record.value().equals("bad")) {
                throw new IllegalArgumentException(record.value());
            }
            context().<KeyValueStore<String, String>>getStateStore("kept").put(record.key(), record.value());
        }
    }

    private static final class Ask extends ContextualProcessor<String, String, String, String> {
        @Override
        public void process(final Record<String, String> record) {
            final KeyValueStore<String, String> kept = context().getStateStore("kept");
            final String found = kept.get(record.key());
            context().forward(record.withValue(record.value() + " " + (found == null ? "None" : found)));
        }
    }
}
