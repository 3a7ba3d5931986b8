import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** An aggregate of a stream may be kept in a versioned store. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, Long> totals = builder.<String, String>stream("in").groupByKey().count(Materialized.as(Stores.persistentVersionedKeyValueStore("kept", Duration.ofMinutes(1))));
        totals.toStream().to("out");
        totals.filter((key, value) -> value != 2).toStream().to("below");
    }
}
