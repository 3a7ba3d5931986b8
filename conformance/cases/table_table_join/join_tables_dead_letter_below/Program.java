import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KTable;

/** A dead letter below a join, with old values and without. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        KTable<String, String> both = left.leftJoin(right, (one, other) -> one + (other == null ? "None" : other));
        both.toStream().to("both");
        both.mapValues(Program::picky).toStream().to("out");
        KTable<String, String> third = left.outerJoin(right, (one, other) -> (one == null ? "None" : one) + (other == null ? "None" : other));
        third.toStream().to("third");
        third.mapValues(Program::picky).filter((key, value) -> true).toStream().to("kept");
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
