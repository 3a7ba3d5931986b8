import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** A join takes a number for the merge, then for each side; a store without a name the first. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        left.join(right, Program::joined).toStream().to("inner");
        left.leftJoin(right, Program::joined).toStream().to("left-out");
        left.outerJoin(right, Program::joined).toStream().to("outer");
        left.join(right, Program::joined, Materialized.with(Serdes.String(), Serdes.String())).toStream().to("stored");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
