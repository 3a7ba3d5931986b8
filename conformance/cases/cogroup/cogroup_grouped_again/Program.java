import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.CogroupedKStream;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** The table of a cogroup is grouped again: old values of all streams are taken away. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        Consumed<String, String> text = Consumed.with(Serdes.String(), Serdes.String());
        KGroupedStream<String, String> one = builder.stream("one", text).groupByKey();
        KGroupedStream<String, String> two = builder.stream("two", text).groupByKey();
        CogroupedKStream<String, String> cogrouped = one.<String>cogroup((key, value, total) -> total + "+" + value).cogroup(two, (key, value, total) -> total + "-" + value);
        KTable<String, String> sums = cogrouped.aggregate(() -> "0", Materialized.as("sums"));
        sums.groupBy((key, total) -> KeyValue.pair(String.valueOf(total.length()), key), Grouped.with("lengths", Serdes.String(), Serdes.String())).count(Materialized.as("counts")).toStream().to("out");
    }
}
