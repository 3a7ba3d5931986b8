import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.state.Stores;

/** Both stores of a join must not have one name. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10L), Duration.ofMillis(5L));
        left.join(right, (l, r) -> l + "-" + r, windows, StreamJoined.<String, String, String>with(Stores.inMemoryWindowStore("mine", Duration.ofMillis(25L), Duration.ofMillis(20L), true), Stores.inMemoryWindowStore("mine", Duration.ofMillis(25L), Duration.ofMillis(20L), true))).to("out");
    }
}
