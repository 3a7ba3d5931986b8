import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** A grace of 0 joins at once, in the order of time, in a left join. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KTable<String, String> right = builder.table("right", Materialized.<String, String>as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMillis(600_000L))));
        left.leftJoin(right, (l, r) -> l + "-" + r, Joined.<String, String, String>with(null, null, null).withGracePeriod(Duration.ZERO)).to("out");
    }
}
