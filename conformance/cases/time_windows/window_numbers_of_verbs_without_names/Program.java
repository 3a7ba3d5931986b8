import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindowedKStream;
import org.apache.kafka.streams.kstream.TimeWindows;

/** Which numbers stores and nodes get; count burns one if it has a Materialized without a name. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
        TimeWindowedKStream<String, String> windowed = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(10)));
        windowed.count().toStream().to("one");
        windowed.count(Materialized.with(null, Serdes.Long())).toStream().to("two");
        windowed.reduce((one, other) -> other).toStream().to("three");
        windowed.aggregate(() -> "", (key, value, total) -> value).toStream().to("four");
        windowed.reduce((one, other) -> other, Materialized.with(null, Serdes.String())).toStream().to("five");
    }
}
