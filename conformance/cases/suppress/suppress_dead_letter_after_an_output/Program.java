import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** A dead letter of what was held back, after its record was sent on by another way. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        KTable<String, String> held = table.suppress(Suppressed.untilTimeLimit(Duration.ofMillis(2), BufferConfig.unbounded()));
        table.toStream().to("raw");
        held.toStream().to("out");
        held.mapValues(Program::picky).toStream().to("picked");
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
