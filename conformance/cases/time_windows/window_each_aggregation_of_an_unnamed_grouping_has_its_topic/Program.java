import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindowedKStream;
import org.apache.kafka.streams.kstream.TimeWindows;

/** Without a name each windowed aggregation has its own topic, called like its store. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String()));
        KGroupedStream<String, String> grouped = stream.groupBy((key, value) -> value, Grouped.with(Serdes.String(), Serdes.String()));
        TimeWindowedKStream<String, String> tumbling = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(10)));
        tumbling.count(Materialized.as("counts")).toStream((key, count) -> key.toString()).to("counts");
        tumbling.reduce((one, other) -> other).toStream((key, count) -> key.toString()).to("last");
    }
}
