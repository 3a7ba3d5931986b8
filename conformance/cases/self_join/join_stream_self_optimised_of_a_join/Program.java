import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/** The result of a join joined with itself, with one store. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        KStream<String, String> other = builder.stream("other");
        JoinWindows windows = JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10L));
        KStream<String, String> joined = stream.join(other, (l, r) -> l + "-" + r, windows);
        joined.join(joined, (l, r) -> l + "/" + r, windows).to("out");
        Properties config = new Properties();
        config.put(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG, "single.store.self.join");
        return builder.build(config);
    }
}
