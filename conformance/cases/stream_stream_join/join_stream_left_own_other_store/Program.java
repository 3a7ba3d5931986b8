import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.state.Stores;

/** Only the other stream's store is the user's; a store name is for the rest. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10L), Duration.ofMillis(5L));
        left.leftJoin(right, (l, r) -> l + "-" + r, windows, StreamJoined.<String, String, String>as("kept").withOtherStoreSupplier(Stores.inMemoryWindowStore("theirs", Duration.ofMillis(25L), Duration.ofMillis(20L), true))).to("out");
    }
}
