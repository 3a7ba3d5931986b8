import java.util.Properties;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;

/** A transformer that raises loses that change; its store keeps the row of before. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.<String, String>table("in").transformValues(() -> new ValueTransformerWithKey<String, String, String>() {
            public void init(ProcessorContext context) {}

            public String transform(String key, String value) {
                if ("bad".equals(value)) {
                    throw new IllegalArgumentException(value);
                }
                return value;
            }

            public void close() {}
        }, Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("kept"));
        table.filter((key, value) -> true).toStream().to("out");
    }

    @Override
    public void configure(Properties config) {
        config.put(StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG, LogAndContinueProcessingExceptionHandler.class);
    }
}
