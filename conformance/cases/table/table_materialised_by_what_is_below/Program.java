import java.time.Duration;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** A table gets a store when something below looks rows up or needs old values, not before. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> bare = builder.table("bare");
        KTable<String, String> grouped = builder.table("grouped");
        KTable<String, String> joined = builder.table("joined");
        KTable<String, String> held = builder.table("held");
        bare.filter((key, value) -> true).mapValues(value -> value.toUpperCase()).toStream().to("out");
        grouped.mapValues(value -> value.toUpperCase()).groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("counts");
        joined.filter((key, value) -> true).join(bare.mapValues(value -> value), (one, other) -> one + other).toStream().to("both");
        held.suppress(Suppressed.untilTimeLimit(Duration.ofMillis(1), BufferConfig.unbounded())).toStream().to("late");
    }
}
