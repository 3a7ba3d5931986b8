import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** A filtered view of a versioned table is versioned too: grace and time are those of its rows. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KTable<String, String> right = builder.table("right", Materialized.<String, String>as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMillis(600_000L))));
        KTable<String, String> view = right.filter((key, value) -> !value.equals("hidden")).mapValues(value -> value + "!");
        left.leftJoin(view, (l, r) -> l + "-" + r, Joined.<String, String, String>with(null, null, null).withGracePeriod(Duration.ofMillis(3L))).to("out");
        left.leftJoin(view, (l, r) -> l + "-" + r).to("now");
    }
}
