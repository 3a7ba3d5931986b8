import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;

/** Produced with one serde takes the other from the stream, or else from the configuration. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in", Consumed.with(null, Serdes.String()));
        stream.to("neither");
        stream.to("key", Produced.keySerde(Serdes.String()));
        stream.to("value", Produced.valueSerde(new Shout()));
        return builder.build();
    }

    public static class Shout extends Serdes.WrapperSerde<String> {
        public Shout() {
            super(
                (topic, value) -> value == null ? null : value.toUpperCase().getBytes(),
                new StringDeserializer()
            );
        }
    }

    public void configure(Properties config) {
        config.put("default.key.serde", Shout.class);
        config.put("default.value.serde", Shout.class);
    }
}
