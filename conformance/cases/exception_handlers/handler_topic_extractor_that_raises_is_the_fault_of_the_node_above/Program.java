import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.processor.RecordContext;
import org.apache.kafka.streams.processor.api.Record;

/** A sink has no handler of its own: its extractor's exception is handled by the node above. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").peek((key, value) -> { }, Named.as("above")).to(Program::extract);
        return builder.build();
    }

    static String extract(String key, String value, RecordContext context) {
        if (value.equals("bad")) {
            throw new IllegalStateException("no topic");
        }
        return "out";
    }

    public static class Tell implements ProcessingExceptionHandler {
        public Response handleError(ErrorHandlerContext context, Record<?, ?> record, Exception exception) {
            String place = context.processorNodeId() + ": " + exception.getMessage();
            return Response.resume(List.of(new ProducerRecord<>("places", null, 0L, null, place.getBytes())));
        }

        public void configure(Map<String, ?> configs) {
        }
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", Tell.class);
    }
}
