import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueExceptionHandler;
import org.apache.kafka.streams.kstream.Repartitioned;

/** A record of a repartition topic that cannot be read meets the deserialization handler. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .repartition(Repartitioned.<String, String>as("again").withValueSerde(new Picky())).to("out");
        return builder.build();
    }

    public static class Picky extends Serdes.WrapperSerde<String> {
        public Picky() {
            super(new StringSerializer(), Picky::read);
        }

        static String read(String topic, byte[] data) {
            String value = data == null ? null : new String(data);
            if ("unreadable".equals(value)) {
                throw new IllegalArgumentException("cannot read this");
            }
            return value;
        }
    }

    public void configure(Properties config) {
        config.put("deserialization.exception.handler", LogAndContinueExceptionHandler.class);
        config.put("errors.dead.letter.queue.topic.name", "dead");
    }
}
