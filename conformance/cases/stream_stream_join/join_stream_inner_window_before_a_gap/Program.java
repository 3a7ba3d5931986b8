import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/** An inner join in a window from 100 before to -50 after. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10L), Duration.ofMillis(5L)).before(Duration.ofMillis(100L)).after(Duration.ofMillis(-50L));
        left.join(right, (l, r) -> l + "-" + r, windows).to("out");
    }
}
