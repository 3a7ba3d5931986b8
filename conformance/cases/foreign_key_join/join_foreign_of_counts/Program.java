import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/** Aggregates are tables like any other, on both sides. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> words = builder.stream("words");
        KTable<String, Long> counts = words.groupByKey().count(Materialized.as("counts"));
        KTable<String, String> latest = builder.<String, String>stream("words")
            .groupBy((key, value) -> value)
            .reduce((aggregate, value) -> aggregate + value);
        counts.leftJoin(latest, count -> "x".repeat((int) (long) count), (count, text) -> count + " " + text)
            .toStream().to("out", Produced.valueSerde(Serdes.String()));
    }

    static String foreignKey(String value) {
        int bar = value.indexOf('|');
        return bar < 0 || bar == value.length() - 1 ? null : value.substring(bar + 1);
    }

    static String joined(String left, String right) {
        return "(" + left + "," + right + ")";
    }
}
