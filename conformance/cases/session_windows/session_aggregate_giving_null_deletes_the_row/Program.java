import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;

/** An aggregate of None deletes the session. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
        grouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofMillis(5))).aggregate(() -> "0",
            (key, value, total) -> "stop".equals(value) ? null : total + "+" + value, (key, one, other) -> "(" + one + "|" + other + ")", Materialized.as("sums"))
            .toStream((key, total) -> key.toString()).to("out");
    }
}
