import java.util.Properties;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KTable;

/** An adder that raises leaves the aggregate as it was. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.groupBy((key, value) -> KeyValue.pair("g", picky("mapper", value)))
            .reduce((total, value) -> total + "+" + picky("adder", value), (total, value) -> total + "-" + picky("subtractor", value))
            .toStream().to("out");
    }

    @Override
    public void configure(Properties config) {
        config.put(StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG, LogAndContinueProcessingExceptionHandler.class);
    }

    static String picky(String what, String value) {
        if (value.equals("bad") && what.equals("adder")) {
            throw new IllegalArgumentException(value);
        }
        return value;
    }
}
