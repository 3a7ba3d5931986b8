import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/**
 * A left join of two rekeyed streams goes through two topics; records without a key do so only where a join below
 * takes them.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.<String, String>stream("left").selectKey((key, value) -> key == null ? null : key.substring(0, 1));
        KStream<String, String> right = builder.<String, String>stream("right").selectKey((key, value) -> key == null ? null : key.substring(0, 1));
        JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10L), Duration.ofMillis(5L));
        left.leftJoin(right, (l, r) -> l + "-" + r, windows).to("out");
    }
}
