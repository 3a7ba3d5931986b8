import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.state.Stores;

/** A view of a versioned table cannot be held back either. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> rows = builder.table("in", Materialized.as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMinutes(1))));
        rows.mapValues(value -> value.toUpperCase()).suppress(Suppressed.untilTimeLimit(Duration.ofMillis(5), BufferConfig.unbounded())).toStream().to("out");
    }
}
