import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** The shared topic has the first serdes that any of its users gave. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<Integer, String> rekeyed = builder.<String, String>stream("in")
            .selectKey((key, value) -> value == null ? 0 : value.length());
        rekeyed.groupByKey()
            .count(Materialized.<Integer, Long, KeyValueStore<Bytes, byte[]>>as("counts").withKeySerde(Serdes.Integer()))
            .toStream().to("counts");
        rekeyed.groupByKey(Grouped.keySerde(Serdes.Integer())).reduce((one, two) -> one + two).toStream().to("sums");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }
}
