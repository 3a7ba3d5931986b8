import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** A table joined with its own views: a change reaches both sides, in the order they were drawn. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.leftJoin(table.mapValues(value -> value.toUpperCase()), Program::joined).toStream().to("out");
        table.filter((key, value) -> value.length() > 1).outerJoin(table, Program::joined).toStream().to("filtered");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
