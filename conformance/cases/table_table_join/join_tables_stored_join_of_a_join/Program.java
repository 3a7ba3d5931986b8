import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** A join with a store is looked up in it. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        KTable<String, String> third = builder.table("third");
        KTable<String, String> pairs = left.outerJoin(right, Program::joined, Materialized.as("pairs"));
        pairs.outerJoin(third, Program::joined, Materialized.as("triples")).toStream().to("out");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
