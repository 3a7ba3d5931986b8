import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Materialized;

/** A table with a cache writes no changelog either when it is flushed. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>table("rows", Materialized.as("rows-store")).toStream().to("out");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("statestore.cache.max.bytes", 100_000L);
        config.put("topology.optimization", "all");
    }
}
