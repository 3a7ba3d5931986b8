import java.util.Properties;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KTable;

/** A dead letter of a grouped table: of the mapper it has the record's bytes, of the adder the topic's. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.groupBy((key, value) -> KeyValue.pair("g", key.equals("z") ? value : picky(value)))
            .reduce((total, value) -> picky(total + value), (total, value) -> total).toStream().to("out");
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
