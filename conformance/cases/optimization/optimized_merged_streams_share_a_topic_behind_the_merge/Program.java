import java.util.Properties;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** Streams that are merged after their keys changed have one topic, behind the merge. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> one = builder.<String, String>stream("in").selectKey((key, value) -> value);
        KStream<String, String> two = builder.<String, String>stream("more").map((key, value) -> KeyValue.pair(value, value));
        KStream<String, String> both = one.merge(two);
        both.groupByKey().count().toStream().to("counts");
        both.groupByKey().reduce((first, second) -> first + second).toStream().to("sums");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }
}
