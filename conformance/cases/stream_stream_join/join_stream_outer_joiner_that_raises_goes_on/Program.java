import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.ValueJoiner;

/**
 * A joiner that raises: with a handler that goes on, the record is still kept for later pairs, the pairs behind the
 * failed one are lost.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        ValueJoiner<String, String, String> joined = (l, r) -> {
            log.add((l == null ? "None" : l) + " and " + (r == null ? "None" : r));
            if ("bad".equals(l) || "bad".equals(r)) {
                throw new IllegalArgumentException(l);
            }
            return (l == null ? "None" : l) + "-" + (r == null ? "None" : r);
        };

        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        left.outerJoin(right, joined, JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(5L))).to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG, LogAndContinueProcessingExceptionHandler.class);
    }
}
