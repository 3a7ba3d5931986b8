import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/** A stream joined with itself in a window that reaches further ahead than back. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in");
        stream.join(stream, (l, r) -> l + "-" + r, JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10L), Duration.ofMillis(5L)).before(Duration.ofMillis(1L)).after(Duration.ofMillis(4L))).to("out");
    }
}
