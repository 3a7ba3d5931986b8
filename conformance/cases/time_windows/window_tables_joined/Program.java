import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;

/** Two tables of windows are joined by key and window. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        Consumed<String, String> text = Consumed.with(Serdes.String(), Serdes.String());
        KGroupedStream<String, String> one = builder.stream("one", text).groupByKey();
        KGroupedStream<String, String> two = builder.stream("two", text).groupByKey();
        KTable<Windowed<String>, String> left = one.windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMillis(10), Duration.ofMillis(5)).advanceBy(Duration.ofMillis(5))).aggregate(() -> "0", (key, value, total) -> total + "+" + value, Materialized.as("left"));
        KTable<Windowed<String>, String> right = two.windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMillis(10), Duration.ofMillis(5)).advanceBy(Duration.ofMillis(5))).aggregate(() -> "0", (key, value, total) -> total + "-" + value, Materialized.as("right"));
        left.join(right, (x, y) -> (x == null ? "none" : x) + " & " + (y == null ? "none" : y)).toStream((key, value) -> key.toString()).to("out");
    }
}
