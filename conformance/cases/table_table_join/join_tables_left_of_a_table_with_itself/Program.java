import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** The left join of a table with itself: each change meets its own row. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.leftJoin(table, Program::joined).toStream().to("out");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
