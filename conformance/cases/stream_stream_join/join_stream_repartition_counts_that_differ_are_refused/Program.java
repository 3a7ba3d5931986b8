import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Repartitioned;

/** Two explicit repartitions with different counts cannot be joined: the program is refused. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.<String, String>stream("left").repartition(Repartitioned.<String, String>as("l").withNumberOfPartitions(2));
        KStream<String, String> right = builder.<String, String>stream("right").repartition(Repartitioned.<String, String>as("r").withNumberOfPartitions(3));
        left.join(right, (l, r) -> l + "-" + r, JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10L))).to("out");
    }
}
