import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** A limit of zero lets each change out at once, unless it is older than stream time. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Consumed.with(Serdes.String(), Serdes.String()));
        KTable<String, Long> counts = table.groupBy((key, value) -> KeyValue.pair(value, key)).count();
        counts.suppress(Suppressed.untilTimeLimit(Duration.ZERO, BufferConfig.unbounded())).toStream().to("out");
        counts.toStream().to("raw");
    }
}
