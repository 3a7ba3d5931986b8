import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** The inner join of two tables, its results kept in a store. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        left.join(right, Program::joined, Materialized.as("joined")).toStream().to("out");
    }

    static String joined(String left, String right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
