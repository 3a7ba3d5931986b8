import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.WindowedSerdes;

/** Windowed keys written to a topic are read with the serde that knows the size of the windows. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        Serde<Windowed<String>> keys = new WindowedSerdes.TimeWindowedSerde<>(Serdes.String(), 10L);
        builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey()
            .windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(10))).count(Materialized.as("counts")).toStream().to("middle");
        builder.stream("middle", Consumed.with(keys, Serdes.Long()))
            .map((key, count) -> KeyValue.pair(key.key() + " " + key.window().start() + " " + key.window().end(), count.toString())).to("out");
    }
}
