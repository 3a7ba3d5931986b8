import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/** Two unnamed joins of one rekeyed stream share its topic, though the numbers of a second one are used up. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.<String, String>stream("left").selectKey((key, value) -> value.substring(0, 1));
        KStream<String, String> right = builder.stream("right");
        KStream<String, String> third = builder.stream("third");
        JoinWindows windows = JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10L));
        left.join(right, (l, r) -> l + "-" + r, windows).to("out");
        left.leftJoin(third, (l, r) -> l + "-" + r, windows).to("out2");
        right.join(left, (l, r) -> l + "-" + r, windows).to("out3");
    }
}
