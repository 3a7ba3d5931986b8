import java.util.Map;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProcessingExceptionHandler;
import org.apache.kafka.streams.processor.api.Record;

/** A processing handler that raises itself stops the task, however many handlers are above. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .peek((key, value) -> { })
            .mapValues(Program::failOnBad)
            .to("out");
        return builder.build();
    }

    static String failOnBad(String value) {
        if ("bad".equals(value)) {
            throw new IllegalArgumentException("this is bad");
        }
        return value + "!";
    }

    public static class Raise implements ProcessingExceptionHandler {
        public Response handleError(ErrorHandlerContext context, Record<?, ?> record, Exception exception) {
            throw new IllegalStateException("not my day");
        }

        public void configure(Map<String, ?> configs) {
        }
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", Raise.class);
    }
}
