import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** If a table's mapper or predicate raises and the handler goes on, the table above is as it was meant to be. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Materialized.as("rows"));
        table.mapValues(value -> Integer.parseInt(value)).mapValues(value -> String.valueOf(10 / value)).toStream().to("mapped");
        table.filter((key, value) -> Integer.parseInt(value) > 1).toStream().to("kept");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG, LogAndContinueProcessingExceptionHandler.class);
    }
}
