import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Materialized;

/** Other optimizations leave a table its changelog. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>table("rows", Materialized.as("rows-store")).toStream().to("out");
        Properties config = new Properties();
        config.put("topology.optimization", "merge.repartition.topics,single.store.self.join");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "merge.repartition.topics,single.store.self.join");
    }
}
