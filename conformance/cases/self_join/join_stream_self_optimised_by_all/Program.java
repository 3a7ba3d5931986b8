import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.StreamJoined;

/**
 * All optimisations together; two self joins of one stream, one named, and a join with another verb of it that stays
 * as it is.
 */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        JoinWindows windows = JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10L));
        stream.join(stream, (l, r) -> l + "-" + r, windows, StreamJoined.<String, String, String>with(null, null, null).withName("one")).to("one");
        stream.join(stream, (key, l, r) -> key + l + r, windows, StreamJoined.<String, String, String>as("kept")).to("two");
        stream.join(stream.mapValues(value -> value == null ? null : value.toLowerCase()), (l, r) -> l + "-" + r, windows).to("three");
        Properties config = new Properties();
        config.put(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG, "all");
        return builder.build(config);
    }
}
