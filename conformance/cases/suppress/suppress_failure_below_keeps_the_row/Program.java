import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** What fails below is the fault of the node below; what is let out is gone. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>table("in").suppress(Suppressed.untilTimeLimit(Duration.ofMillis(2), BufferConfig.unbounded())).mapValues(value -> {
            if (value.equals("bad")) {
                throw new IllegalArgumentException(value);
            }
            return value;
        }).toStream().to("out");
    }

    @Override
    public void configure(Properties config) {
        config.put(StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG, LogAndContinueProcessingExceptionHandler.class);
    }
}
