import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** When there are too many bytes, the oldest rows come out early; bytes are counted as Java does. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Consumed.with(Serdes.String(), Serdes.String()));
        KTable<String, Long> counts = table.groupBy((key, value) -> KeyValue.pair(value, key)).count();
        counts.suppress(Suppressed.untilTimeLimit(Duration.ofDays(1), BufferConfig.maxBytes(100L))).toStream().to("out");
        counts.toStream().to("raw");
    }
}
