import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.api.Record;

/** The default production handler writes a dead letter with the raw input before it fails. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.<String, String>stream("in").mapValues(value -> value.substring(1));
        stream.to("out", Produced.valueSerde(new Picky()));
        return builder.build();
    }

    public static class Picky extends Serdes.WrapperSerde<String> {
        public Picky() {
            super(Picky::write, new StringDeserializer());
        }

        static byte[] write(String topic, String value) {
            if ("unwritable".equals(value)) {
                throw new IllegalArgumentException("cannot write this");
            }
            return value == null ? null : value.getBytes();
        }
    }

    public static class Resume implements ProcessingExceptionHandler {
        public Response handleError(ErrorHandlerContext context, Record<?, ?> record, Exception exception) {
            return Response.resume();
        }

        public void configure(Map<String, ?> configs) {
        }
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", Resume.class);
        config.put("errors.dead.letter.queue.topic.name", "dead");
    }
}
