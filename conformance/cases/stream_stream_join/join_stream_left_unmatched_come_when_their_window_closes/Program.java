import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/**
 * A record without a match comes out of a left join when stream time has passed its window and the grace, not at the
 * boundary.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(15L), Duration.ofMillis(5L));
        left.leftJoin(right, (l, r) -> l + "-" + r, windows).to("out");
    }
}
