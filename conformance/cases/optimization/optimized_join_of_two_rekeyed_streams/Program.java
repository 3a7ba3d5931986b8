import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/**
 * Each side of a join has the topic of its own change of key, and both have as many
 * partitions.
 */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> one = builder.<String, String>stream("in").selectKey((key, value) -> value);
        KStream<String, String> two = builder.<String, String>stream("other").map((key, value) -> KeyValue.pair(value, key));
        one.filter((key, value) -> true)
            .join(two, (left, right) -> left + "+" + right, JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10)))
            .to("pairs");
        one.groupByKey().count().toStream().to("counts");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }
}
