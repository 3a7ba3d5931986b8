import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.state.Stores;

/** An outer join in stores of the user's, persistent and in_memory: their names, and where what waits is kept. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10L), Duration.ofMillis(5L));
        left.outerJoin(right, (l, r) -> l + "-" + r, windows, StreamJoined.<String, String, String>with(Stores.persistentWindowStore("mine", Duration.ofMillis(25L), Duration.ofMillis(20L), true), Stores.inMemoryWindowStore("theirs", Duration.ofMillis(25L), Duration.ofMillis(20L), true))).to("out");
    }
}
