import java.nio.charset.StandardCharsets;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/** The serdes of a table's store are told its topic, since that is its changelog. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.table("rows", Consumed.with(Serdes.String(), telling(log)), Materialized.as("rows-store"))
            .toStream().to("out", Produced.valueSerde(Serdes.String()));
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }

    static Serde<String> telling(Log log) {
        return Serdes.serdeFrom(
            (topic, value) -> {
                log.add(topic);
                return value == null ? null : value.getBytes(StandardCharsets.UTF_8);
            },
            (topic, data) -> data == null ? null : new String(data, StandardCharsets.UTF_8));
    }
}
