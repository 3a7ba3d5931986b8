import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;

/** A failed write is an exception of the node above the sink, whose processing handler may go on. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.<String, String>stream("in").peek((key, value) -> log.add(value));
        stream.to("picky", Produced.valueSerde(new Picky()));
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

    public void configure(Properties config) {
        config.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
    }
}
