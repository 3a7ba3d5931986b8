import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** One of the merged streams is aggregated by itself too. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> one = builder.<String, String>stream("in").selectKey((key, value) -> value);
        one.groupByKey().count().toStream().to("counts");
        KStream<String, String> two = builder.<String, String>stream("more").selectKey((key, value) -> value);
        one.merge(two).groupByKey().reduce((first, second) -> first + second).toStream().to("sums");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }
}
