import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyConfig;

/** All together with another is refused. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        Properties config = new Properties();
        config.put("application.id", "conformance");
        config.put("bootstrap.servers", "nowhere:9092");
        config.put("topology.optimization", "all,merge.repartition.topics");
        StreamsBuilder builder = new StreamsBuilder(new TopologyConfig(new StreamsConfig(config)));
        builder.stream("in").to("out");
        return builder.build();
    }
}
