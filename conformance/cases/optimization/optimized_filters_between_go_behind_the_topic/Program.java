import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** Each aggregation has its own filter: both go behind the topic. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> rekeyed = builder.<String, String>stream("in").selectKey((key, value) -> value);
        rekeyed.filter((key, value) -> !"y".equals(value)).groupByKey().count().toStream().to("counts");
        rekeyed.filter((key, value) -> !"x".equals(value)).groupByKey().reduce((one, two) -> one + two).toStream().to("sums");
        rekeyed.to("rekeyed");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }
}
