import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/** A rekeyed stream joined with itself: one topic, two sides. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.<String, String>stream("in").selectKey((key, value) -> value.substring(0, 1));
        stream.join(stream, (l, r) -> l + "-" + r, JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10L))).to("out");
    }
}
