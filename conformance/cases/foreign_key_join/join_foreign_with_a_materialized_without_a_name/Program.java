import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** A Materialized without a name says only which serdes the result has. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        KTable<String, Integer> results = left.join(
            right,
            Program::foreignKey,
            (one, two) -> (one + two).length(),
            Materialized.with(null, Serdes.Integer()));
        log.add(String.valueOf(results.queryableStoreName()));
        results.toStream().to("out");
    }

    static String foreignKey(String value) {
        int bar = value.indexOf('|');
        return bar < 0 || bar == value.length() - 1 ? null : value.substring(bar + 1);
    }

    static String joined(String left, String right) {
        return "(" + left + "," + right + ")";
    }
}
