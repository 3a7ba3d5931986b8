import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

/** A stream joined with itself, each side with a store of its own. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in");
        stream.join(stream, (l, r) -> l + "-" + r, JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10L), Duration.ofMillis(5L))).to("out");
    }
}
