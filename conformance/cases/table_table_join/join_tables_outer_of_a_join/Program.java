import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** The outer join with the rows of another join, which are computed when they are looked up. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        KTable<String, String> third = builder.table("third");
        KTable<String, String> pairs = left.outerJoin(right, Program::joined);
        third.outerJoin(pairs, Program::joined).toStream().to("out");
        pairs.toStream().to("pairs");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
