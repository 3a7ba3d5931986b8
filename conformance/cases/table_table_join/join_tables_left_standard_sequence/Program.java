import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** The left join of two tables, step by step, with records out of order. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        left.leftJoin(right, Program::joined).toStream().to("out");
    }

    static String joined(String left, String right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
