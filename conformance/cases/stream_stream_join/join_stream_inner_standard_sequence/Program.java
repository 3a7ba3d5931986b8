import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/**
 * The standard sequence of a windowed inner join: nulls, matches in the order of the other side, records without a
 * key.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10000L), Duration.ofMillis(86400000L));
        left.join(right, (l, r) -> l + "-" + r, windows).to("out");
    }
}
