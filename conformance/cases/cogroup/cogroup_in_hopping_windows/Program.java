import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.CogroupedKStream;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.WindowStore;

/** Two streams in overlapping windows with grace. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        Consumed<String, String> text = Consumed.with(Serdes.String(), Serdes.String());
        KGroupedStream<String, String> one = builder.stream("one", text).groupByKey();
        KGroupedStream<String, String> two = builder.stream("two", text).groupByKey();
        CogroupedKStream<String, String> cogrouped = one.<String>cogroup((key, value, total) -> total + "+" + value).cogroup(two, (key, value, total) -> total + "-" + value);
        cogrouped.windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMillis(10), Duration.ofMillis(5)).advanceBy(Duration.ofMillis(5))).aggregate(() -> "0", Materialized.<String, String, WindowStore<Bytes, byte[]>>as("sums").withKeySerde(Serdes.String())).toStream((key, total) -> key.toString()).to("out");
    }
}
