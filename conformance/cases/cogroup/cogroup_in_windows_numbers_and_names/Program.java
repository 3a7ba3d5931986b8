import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.CogroupedKStream;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.TimeWindows;

/** Numbers and names of cogroups in windows of all kinds, keys as bytes. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        Consumed<String, String> text = Consumed.with(Serdes.String(), Serdes.String());
        KGroupedStream<String, String> one = builder.stream("one", text).groupByKey();
        KGroupedStream<String, String> two = builder.stream("two", text).groupByKey();
        CogroupedKStream<String, String> cogrouped = one.<String>cogroup((key, value, total) -> total + "+" + value).cogroup(two, (key, value, total) -> total + "-" + value);
        cogrouped.windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(10))).aggregate(() -> "0", Materialized.with(Serdes.String(), Serdes.String())).toStream().to("w1");
        cogrouped.windowedBy(SlidingWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10))).aggregate(() -> "0", Named.as("sliding"), Materialized.with(Serdes.String(), Serdes.String())).toStream().to("w2");
        cogrouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofMillis(10))).aggregate(() -> "0", (key, x, y) -> "(" + x + "|" + y + ")", Named.as("sessions"), Materialized.with(Serdes.String(), Serdes.String())).toStream().to("w3");
        cogrouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofMillis(10))).aggregate(() -> "0", (key, x, y) -> "(" + x + "|" + y + ")", Materialized.with(Serdes.String(), Serdes.String())).toStream().to("w4");
    }
}
