import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.StreamJoined;

/** Named joins of one rekeyed stream have a topic each; an unnamed one between them has its own. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.<String, String>stream("left").selectKey((key, value) -> value.substring(0, 1));
        KStream<String, String> right = builder.stream("right");
        JoinWindows windows = JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10L));
        left.join(right, (l, r) -> l + "-" + r, windows, StreamJoined.<String, String, String>with(null, null, null).withName("one")).to("one");
        left.join(right, (l, r) -> l + "-" + r, windows).to("two");
        left.join(right, (l, r) -> l + "-" + r, windows, StreamJoined.<String, String, String>with(null, null, null).withName("three")).to("three");
        left.join(right, (l, r) -> l + "-" + r, windows).to("four");
    }
}
