import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/** A windowed outer join whose result is joined with the right stream again. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10000L), Duration.ofMillis(86400000L));
        left.outerJoin(right, (l, r) -> l + "-" + r, windows)
            .outerJoin(right, (l, r) -> l + "-" + r, windows)
            .to("out");
    }
}
