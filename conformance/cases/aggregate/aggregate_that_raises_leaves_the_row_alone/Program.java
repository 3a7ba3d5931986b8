import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.Materialized;

/** If an aggregator raises and the handler goes on, the row is as it was. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>stream("in").groupByKey().aggregate(() -> "", (key, value, total) -> {
            if (value.equals("bad")) {
                throw new IllegalArgumentException(value);
            }
            return total + value;
        }, Materialized.as("totals")).toStream().to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG, LogAndContinueProcessingExceptionHandler.class);
    }
}
