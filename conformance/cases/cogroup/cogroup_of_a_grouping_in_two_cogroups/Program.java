import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.CogroupedKStream;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;

/** A grouping may be part of two cogroups: each has a topic for it, called like the store. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        Consumed<String, String> text = Consumed.with(Serdes.String(), Serdes.String());
        KGroupedStream<String, String> one = builder.stream("one", text).groupBy((key, value) -> value, Grouped.with(Serdes.String(), Serdes.String()));
        KGroupedStream<String, String> two = builder.stream("two", text).groupByKey();
        CogroupedKStream<String, String> first = one.<String>cogroup((key, value, total) -> total + "+" + value).cogroup(two, (key, value, total) -> total + "-" + value);
        CogroupedKStream<String, String> second = one.<String>cogroup((key, value, total) -> total + "*" + value);
        first.aggregate(() -> "0", Materialized.as("first")).toStream().to("out");
        second.aggregate(() -> "0", Materialized.as("second")).toStream().to("out");
    }
}
