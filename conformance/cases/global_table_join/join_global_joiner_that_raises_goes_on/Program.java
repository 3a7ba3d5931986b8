import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.ValueJoiner;

/** A joiner or a selector that raises loses its record, with a handler that goes on. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        GlobalKTable<String, String> right = builder.globalTable("right");
        ValueJoiner<String, String, String> joined = (l, r) -> {
            if (r.equals("bad")) {
                throw new IllegalArgumentException(r);
            }
            return l + r;
        };
        left.join(right, (key, value) -> {
            if (value.equals("bad")) {
                throw new IllegalArgumentException(value);
            }
            return key;
        }, joined).to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG, LogAndContinueProcessingExceptionHandler.class);
    }
}
