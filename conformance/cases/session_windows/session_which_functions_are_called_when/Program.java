import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;

/** Initializer and merger are called even for a record that turns out to be late. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
        grouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofMillis(5))).aggregate(() -> {
            log.add("start");
            return "0";
        }, (key, value, total) -> {
            log.add("add " + key + " " + value + " " + total);
            return total + "+" + value;
        }, (key, one, other) -> {
            log.add("merge " + key + " " + one + " " + other);
            return "(" + one + "|" + other + ")";
        }, Materialized.as("sums")).toStream((key, total) -> key.toString()).to("out");
    }
}
