import java.time.Duration;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.StreamJoined;

/** Only the rekeyed side goes through a topic; StreamJoined names it and its store name does not. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.<String, String>stream("right").map((key, value) -> KeyValue.pair(value.substring(0, 1), value));
        JoinWindows windows = JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10L));
        left.leftJoin(right, (l, r) -> l + "-" + r, windows, StreamJoined.<String, String, String>as("kept").withName("pairs")).to("out");
    }
}
