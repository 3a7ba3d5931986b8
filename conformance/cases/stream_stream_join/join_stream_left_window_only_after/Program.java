import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/** A left join in a window from 0 before to 100 after: each side waits for its own reach. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10L), Duration.ofMillis(5L)).before(Duration.ofMillis(0L)).after(Duration.ofMillis(100L));
        left.leftJoin(right, (l, r) -> l + "-" + r, windows).to("out");
    }
}
