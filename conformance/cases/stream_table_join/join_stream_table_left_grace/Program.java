import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/**
 * With a grace of 2 records of a left join wait until stream time has passed them by it; a later one is joined at
 * once.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KTable<String, String> right = builder.table("right", Materialized.<String, String>as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMillis(600_000L))));
        left.leftJoin(right, (l, r) -> l + "-" + r, Joined.<String, String, String>with(null, null, null).withGracePeriod(Duration.ofMillis(2L))).to("out");
    }
}
