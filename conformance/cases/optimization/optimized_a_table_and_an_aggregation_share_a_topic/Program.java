import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/** A table and an aggregation below one change of key share a topic. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> rekeyed = builder.<String, String>stream("in").selectKey((key, value) -> value);
        rekeyed.toTable(Materialized.as("latest")).toStream().to("latest");
        rekeyed.groupByKey().count().toStream().to("counts");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }
}
