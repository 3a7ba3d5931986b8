import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KTable;

/** A joiner that raises loses its answer only, if the handler goes on. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        left.leftJoin(
            right,
            Program::foreignKey,
            (one, two) -> {
                if (one.startsWith("bad")) {
                    throw new IllegalArgumentException(one);
                }
                return joined(one, two);
            })
            .toStream().to("out");
    }

    @Override
    public void configure(Properties config) {
        config.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
    }

    static String foreignKey(String value) {
        int bar = value.indexOf('|');
        return bar < 0 || bar == value.length() - 1 ? null : value.substring(bar + 1);
    }

    static String joined(String left, String right) {
        return "(" + left + "," + right + ")";
    }
}
