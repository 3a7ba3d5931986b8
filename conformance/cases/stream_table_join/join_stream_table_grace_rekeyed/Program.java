import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** A rekeyed stream that waits: its topic, its buffer and the buffer's changelog. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.<String, String>stream("left").selectKey((key, value) -> value.substring(0, 1));
        KTable<String, String> right = builder.table("right", Materialized.<String, String>as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMillis(600_000L))));
        left.join(right, (l, r) -> l + "-" + r, Joined.<String, String, String>as("joined").withGracePeriod(Duration.ofMillis(5L))).to("out");
        left.join(right, (l, r) -> l + "-" + r, Joined.<String, String, String>with(null, null, null).withGracePeriod(Duration.ofMillis(1L))).to("out2");
    }
}
