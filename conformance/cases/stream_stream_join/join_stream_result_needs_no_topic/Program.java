import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/** What was joined is grouped by its key without another topic, value verbs between them or not. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.<String, String>stream("left").selectKey((key, value) -> value.substring(0, 1));
        KStream<String, String> right = builder.stream("right");
        KStream<String, String> joined = left.join(right, (l, r) -> l + "-" + r, JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10L)));
        joined.mapValues(value -> value.toUpperCase()).groupByKey().count(Materialized.as("counts")).toStream().to("counts");
    }
}
