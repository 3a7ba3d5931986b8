import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.StreamJoined;

/** The numbers that an inner join between two streams uses up. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        JoinWindows windows = JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10L));
        KStream<String, String> joined = left.join(right, (l, r) -> l + "-" + r, windows);
        joined.mapValues(value -> value.toUpperCase()).to("out");
        joined.join(left, (l, r) -> l + "-" + r, windows, StreamJoined.<String, String, String>with(null, null, null).withName("again")).to("again");
    }
}
