import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.TimeWindows;

/** All aggregations of a named grouping share its topic, with and without windows. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String()));
        KGroupedStream<String, String> grouped = stream.groupBy((key, value) -> value, Grouped.with("words", Serdes.String(), Serdes.String()));
        grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(10))).count(Materialized.as("counts")).toStream((key, count) -> key.toString()).to("counts");
        grouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofMillis(5))).count().toStream((key, count) -> key.toString()).to("sessions");
        grouped.windowedBy(SlidingWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(5))).count().toStream((key, count) -> key.toString()).to("sliding");
        grouped.count().toStream().to("all");
    }
}
