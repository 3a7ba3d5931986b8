import java.util.Properties;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;

/** The first grouping's name is that of the topic. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> rekeyed = builder.<String, String>stream("in")
            .map((key, value) -> KeyValue.pair(value, value), Named.as("rekey"));
        rekeyed.groupByKey(Grouped.as("first")).count(Materialized.as("counts")).toStream().to("counts");
        rekeyed.groupByKey(Grouped.as("second")).reduce((one, two) -> one + two, Materialized.as("sums")).toStream().to("sums");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }
}
