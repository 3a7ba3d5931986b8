import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** Views with a store of their own are looked up there. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.<String, String>table("left")
            .filter((key, value) -> !value.startsWith("skip"), Materialized.as("lefts"));
        KTable<String, String> right = builder.<String, String>table("right")
            .mapValues(value -> value.toUpperCase(), Materialized.as("rights"));
        left.join(right, Program::foreignKey, Program::joined).toStream().to("out");
    }

    static String foreignKey(String value) {
        int bar = value.indexOf('|');
        return bar < 0 || bar == value.length() - 1 ? null : value.substring(bar + 1);
    }

    static String joined(String left, String right) {
        return "(" + left + "," + right + ")";
    }
}
