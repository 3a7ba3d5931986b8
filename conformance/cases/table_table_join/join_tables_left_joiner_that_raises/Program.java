import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KTable;

/** A joiner that raises is the fault of the side whose change it was; the tables have changed. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        left.leftJoin(right, Program::picky).toStream().to("out");
    }

    @Override
    public void configure(Properties config) {
        config.put(StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG, LogAndContinueProcessingExceptionHandler.class);
    }

    static String picky(String left, String right) {
        if ("bad".equals(left) || "bad".equals(right)) {
            throw new IllegalArgumentException("bad");
        }
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
