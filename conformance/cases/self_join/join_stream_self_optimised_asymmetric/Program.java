import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/** A stream joined with itself in a window that reaches further ahead than back. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.join(stream, (l, r) -> l + "-" + r, JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10L), Duration.ofMillis(5L)).before(Duration.ofMillis(1L)).after(Duration.ofMillis(4L))).to("out");
        Properties config = new Properties();
        config.put(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG, "single.store.self.join");
        return builder.build(config);
    }
}
