import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProductionExceptionHandler;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;

/** A production handler may drop a record whose key or value cannot be written; it is counted. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.to("out", Produced.with(new Picky(), new Picky()));
        stream.to("plain");
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

    public static class Resume implements ProductionExceptionHandler {
        public Response handleSerializationError(
            ErrorHandlerContext context, ProducerRecord record, Exception exception, SerializationExceptionOrigin origin
        ) {
            return Response.resume();
        }

        public void configure(Map<String, ?> configs) {
        }
    }

    public void configure(Properties config) {
        config.put("production.exception.handler", Resume.class);
    }
}
