import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Without serdes in the program the configured defaults read and write. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<Integer, Long>stream("in").map((key, value) -> KeyValue.pair(key * 2, value * 2)).to("out");
        return builder.build();
    }

    public void configure(Properties config) {
        config.put("default.key.serde", Serdes.IntegerSerde.class);
        config.put("default.value.serde", Serdes.LongSerde.class);
    }
}
