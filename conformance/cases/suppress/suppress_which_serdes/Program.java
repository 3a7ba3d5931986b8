import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** The buffer is written with the table's serdes, or the defaults. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<Integer, Long> table = builder.table("in", Consumed.with(Serdes.Integer(), Serdes.Long()));
        table.suppress(Suppressed.untilTimeLimit(Duration.ofMillis(2), BufferConfig.unbounded())).toStream().to("out");
        table.mapValues(value -> String.valueOf(value)).suppress(Suppressed.untilTimeLimit(Duration.ofMillis(2), BufferConfig.unbounded())).toStream().to("texts");
    }
}
