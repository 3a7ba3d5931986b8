import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** A count in a store of two keys begins again for a key that was evicted. */
public class Program extends DslCase {
    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        builder.<String, String>stream("in")
            .groupByKey()
            .count(Materialized.as(Stores.lruMap("counts", 2)))
            .toStream()
            .mapValues(count -> String.valueOf(count))
            .to("out");
    }
}
