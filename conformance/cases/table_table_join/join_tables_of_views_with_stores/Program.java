import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** Views with stores are looked up in them; one without a name has none. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.<String, String>table("left").filter((key, value) -> !value.equals("skip"), Materialized.as("kept"));
        KTable<String, String> right = builder.<String, String>table("right").mapValues(value -> value.toUpperCase(), Materialized.with(null, null));
        left.outerJoin(right, Program::joined).toStream().to("out");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
