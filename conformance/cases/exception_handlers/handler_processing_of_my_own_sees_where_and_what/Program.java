import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.processor.api.Record;

/** A handler sees the failing node, the task, the place of the input and the failing record. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.<String, String>stream("in")
            .map((key, value) -> KeyValue.pair(key + "1", value));
        stream.mapValues(Program::failOnBad, Named.as("strict")).to("out");
        return builder.build();
    }

    static String failOnBad(String value) {
        if ("bad".equals(value)) {
            throw new IllegalArgumentException("this is bad");
        }
        return value + "!";
    }

    public static class Tell implements ProcessingExceptionHandler {
        public Response handleError(ErrorHandlerContext context, Record<?, ?> record, Exception exception) {
            String place = context.processorNodeId() + " " + context.taskId()
                + " " + context.topic() + " " + context.offset();
            String what = record.key() + " " + record.value() + " " + exception.getMessage();
            return Response.resume(List.of(
                new ProducerRecord<>("places", null, 1L, context.sourceRawKey(), place.getBytes()),
                new ProducerRecord<>("reasons", null, 0L, context.sourceRawValue(), what.getBytes())
            ));
        }

        public void configure(Map<String, ?> configs) {
        }
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", Tell.class);
    }
}
