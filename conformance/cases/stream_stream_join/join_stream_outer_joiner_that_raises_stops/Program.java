import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.ValueJoiner;

/** A joiner that raises: the task stops. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        ValueJoiner<String, String, String> joined = (l, r) -> {
            log.add((l == null ? "None" : l) + " and " + (r == null ? "None" : r));
            if ("bad".equals(l) || "bad".equals(r)) {
                throw new IllegalArgumentException(l);
            }
            return (l == null ? "None" : l) + "-" + (r == null ? "None" : r);
        };

        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        left.outerJoin(right, joined, JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(5L))).to("out");
    }
}
