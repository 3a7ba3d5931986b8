import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.CogroupedKStream;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;

/** Each grouping has its topic. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        Consumed<String, String> text = Consumed.with(Serdes.String(), Serdes.String());
        KGroupedStream<String, String> one = builder.stream("one", text).groupBy((key, value) -> value, Grouped.with("mine", Serdes.String(), Serdes.String()));
        KGroupedStream<String, String> two = builder.stream("two", text).groupBy((key, value) -> value, Grouped.with("yours", Serdes.String(), Serdes.String()));
        CogroupedKStream<String, String> cogrouped = one.<String>cogroup((key, value, total) -> total + "+" + value).cogroup(two, (key, value, total) -> total + "-" + value);
        cogrouped.aggregate(() -> "0", Materialized.as("sums")).toStream().to("out");
    }
}
