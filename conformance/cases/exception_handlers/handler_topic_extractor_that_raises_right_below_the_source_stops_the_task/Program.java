import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.processor.RecordContext;

/** A source has no handler either: a sink right below it that fails stops the task. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").to(Program::extract);
        return builder.build();
    }

    static String extract(String key, String value, RecordContext context) {
        if (value.equals("bad")) {
            throw new IllegalStateException("no topic");
        }
        return "out";
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
    }
}
