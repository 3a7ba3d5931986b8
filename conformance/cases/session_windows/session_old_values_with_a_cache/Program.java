import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueStore;

/** With a cache the old values of sessions are those of the store. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
        KTable<Windowed<String>, String> sums = grouped.windowedBy(SessionWindows.ofInactivityGapAndGrace(Duration.ofMillis(5), Duration.ofMillis(20))).aggregate(
            () -> "0", (key, value, total) -> total + "+" + value, (key, one, other) -> "(" + one + "|" + other + ")", Materialized.as("sums"));
        sums.groupBy((key, value) -> KeyValue.pair(key.key(), value), Grouped.with("again", Serdes.String(), Serdes.String())).aggregate(() -> "", (key, value, total) -> {
            log.add("add " + key + " " + value);
            return total + "+" + value;
        }, (key, value, total) -> {
            log.add("subtract " + key + " " + value);
            return total + "-" + value;
        }, Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("totals").withKeySerde(Serdes.String()).withValueSerde(Serdes.String())).toStream().to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
