import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/**
 * An outer join of a repartitioned stream with itself, rewritten: records without a key still go through the topic,
 * and are dropped behind it.
 */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.<String, String>stream("in").repartition();
        stream.outerJoin(stream, (l, r) -> l + "-" + r, JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10L))).to("out");
        Properties config = new Properties();
        config.put(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG, "all");
        return builder.build(config);
    }
}
