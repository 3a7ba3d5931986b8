import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.TimeWindows;

/** The strategy changes no names; keys of all kinds as bytes. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
        EmitStrategy onClose = EmitStrategy.onWindowClose();
        grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(10))).emitStrategy(onClose).count().toStream().to("one");
        grouped.windowedBy(SlidingWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10))).emitStrategy(onClose).reduce((one, other) -> other).toStream().to("two");
        grouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofMillis(10))).emitStrategy(onClose).count(Named.as("counting"), Materialized.as("counts")).toStream().to("three");
    }
}
