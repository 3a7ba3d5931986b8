import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/**
 * A filter is asked for old values when it is drawn: one drawn before the table has a store deletes what was
 * never there.
 */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        left.filter((key, value) -> !value.equals("x")).toStream().to("before");
        left.join(right, Program::joined).toStream().to("out");
        left.filter((key, value) -> !value.equals("x")).toStream().to("after");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
