import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** Below the left join a filter has the old values, whatever the tables above have. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        KTable<String, String> both = left.leftJoin(right, Program::joined);
        both.filter((key, value) -> !value.contains("x")).toStream().to("out");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
