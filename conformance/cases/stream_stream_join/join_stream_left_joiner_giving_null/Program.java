import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/** A joiner may give None; the record goes on with no value. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        left.leftJoin(right, (l, r) -> r == null ? null : l, JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(5L))).to("out");
    }
}
