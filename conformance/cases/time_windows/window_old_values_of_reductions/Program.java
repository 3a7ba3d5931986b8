import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueStore;

/** The first value of a reduction replaces nothing. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
        KTable<Windowed<String>, String> joined = grouped.windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMillis(10), Duration.ofMillis(20)))
            .reduce((total, value) -> total + "+" + value, Materialized.as("joined"));
        joined.groupBy((key, value) -> KeyValue.pair(key.key(), value), Grouped.with("again", Serdes.String(), Serdes.String())).aggregate(() -> "", (key, value, total) -> {
            log.add("add " + key + " " + value);
            return total + "+" + value;
        }, (key, value, total) -> {
            log.add("subtract " + key + " " + value);
            return total + "-" + value;
        }, Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("totals").withKeySerde(Serdes.String()).withValueSerde(Serdes.String())).toStream().to("out");
    }
}
