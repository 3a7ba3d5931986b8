import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KTable;

/** A dead letter of a join has the bytes of the record that caused it. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        left.leftJoin(right, (one, other) -> picky(one + (other == null ? "None" : other))).toStream().to("out");
    }

    @Override
    public void configure(Properties config) {
        config.put(StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG, LogAndContinueProcessingExceptionHandler.class);
        config.put(StreamsConfig.ERRORS_DEAD_LETTER_QUEUE_TOPIC_NAME_CONFIG, "dead");
    }

    static String picky(String value) {
        if (value.contains("bad")) {
            throw new IllegalArgumentException(value);
        }
        return value + "!";
    }
}
