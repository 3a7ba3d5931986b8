import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.StreamJoined;

/** Two joins must not keep their records under one name. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        left.join(right, (l, r) -> l + "-" + r, JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10L)), StreamJoined.<String, String, String>as("kept")).to("out");
        left.join(right, (l, r) -> l + "-" + r, JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(20L)), StreamJoined.<String, String, String>as("kept")).to("out2");
    }
}
