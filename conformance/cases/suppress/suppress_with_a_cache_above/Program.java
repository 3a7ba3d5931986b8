import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** With a cache above, changes come to the buffer at the flush. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Consumed.with(Serdes.String(), Serdes.String()));
        KTable<String, Long> counts = table.groupBy((key, value) -> KeyValue.pair(value, key)).count();
        counts.suppress(Suppressed.untilTimeLimit(Duration.ofMillis(2), BufferConfig.unbounded())).toStream().to("out");
        counts.toStream().to("raw");
    }

    @Override
    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
