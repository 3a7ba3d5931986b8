import java.time.Duration;
import java.util.Map;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.StreamJoined;

/** Settings of the changelog topics do not show in the driver, but they are accepted. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10L), Duration.ofMillis(5L));
        left.join(right, (l, r) -> l + "-" + r, windows, StreamJoined.<String, String, String>with(null, null, null).withLoggingEnabled(Map.of("retention.ms", "1000"))).to("out");
    }
}
