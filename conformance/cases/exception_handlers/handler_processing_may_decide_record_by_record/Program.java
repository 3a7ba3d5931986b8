import java.util.Map;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProcessingExceptionHandler;
import org.apache.kafka.streams.processor.api.Record;

/** A handler may go on for one error and fail for another. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").mapValues(Program::check).to("out");
        return builder.build();
    }

    static String check(String value) {
        if (value.equals("minor") || value.equals("major")) {
            throw new IllegalArgumentException(value);
        }
        return value;
    }

    public static class Weigh implements ProcessingExceptionHandler {
        public Response handleError(ErrorHandlerContext context, Record<?, ?> record, Exception exception) {
            return exception.getMessage().equals("minor") ? Response.resume() : Response.fail();
        }

        public void configure(Map<String, ?> configs) {
        }
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", Weigh.class);
    }
}
