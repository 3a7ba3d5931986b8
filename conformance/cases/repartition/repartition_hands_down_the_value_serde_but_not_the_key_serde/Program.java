import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Repartitioned;

/** A repartition without serdes writes keys with the default one, values with the stream's. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> source = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String()));
        source.repartition(Repartitioned.as("again")).to("out");
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
