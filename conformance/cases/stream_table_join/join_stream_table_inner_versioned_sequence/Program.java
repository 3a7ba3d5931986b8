import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** All 23 steps of a stream and a versioned table, inner: rows are looked up as of the record's time. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KTable<String, String> right = builder.table("right", Materialized.<String, String>as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMillis(600_000L))));
        left.join(right, (l, r) -> l + "-" + r).to("out");
    }
}
