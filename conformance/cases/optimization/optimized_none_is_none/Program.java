import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/** With none a table has its changelog and each aggregation its topic. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>table("rows", Materialized.as("rows-store")).toStream().to("out");
        KStream<String, String> rekeyed = builder.<String, String>stream("in").selectKey((key, value) -> value);
        rekeyed.groupByKey().count().toStream().to("counts");
        rekeyed.groupByKey().reduce((one, two) -> one + two).toStream().to("sums");
        Properties config = new Properties();
        config.put("topology.optimization", "none");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "none");
    }
}
