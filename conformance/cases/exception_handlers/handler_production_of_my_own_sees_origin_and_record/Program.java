import java.util.List;
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

/** A production handler is told whether key or value failed; the key is written first. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.<String, String>stream("in").mapValues(value -> value.substring(1));
        stream.to("out", Produced.with(new Picky(), new Picky()).withName("sink"));
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

    public static class Tell implements ProductionExceptionHandler {
        public Response handleSerializationError(
            ErrorHandlerContext context, ProducerRecord record, Exception exception, SerializationExceptionOrigin origin
        ) {
            String place = context.processorNodeId() + " " + context.topic() + " " + context.offset();
            String what = origin.name().toLowerCase() + " " + record.topic() + " " + record.key() + " " + record.value()
                + " " + exception.getMessage();
            return Response.resume(List.of(
                new ProducerRecord<>("places", null, 1L, context.sourceRawKey(), place.getBytes()),
                new ProducerRecord<>("reasons", null, context.timestamp(), null, what.getBytes())
            ));
        }

        public void configure(Map<String, ?> configs) {
        }
    }

    public void configure(Properties config) {
        config.put("production.exception.handler", Tell.class);
    }
}
