import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.TimeWindowedKStream;
import org.apache.kafka.streams.kstream.TimeWindows;

/** Names of nodes and stores. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
        TimeWindowedKStream<String, String> windowed = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(10)).advanceBy(Duration.ofMillis(5)));
        windowed.count(Named.as("counting"), Materialized.as("counts")).toStream(Named.as("changes")).to("one");
        windowed.reduce((one, other) -> other, Named.as("reducing")).toStream().to("two");
        windowed.aggregate(() -> "", (key, value, total) -> value, Named.as("keeping"), Materialized.as("last")).toStream().to("three");
    }
}
