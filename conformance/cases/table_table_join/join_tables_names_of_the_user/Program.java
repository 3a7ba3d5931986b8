import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;

/** A name is that of the merge; the sides' names have a suffix; numbers are used up all the same. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        left.join(right, Program::joined, Named.as("inner")).toStream().to("inner");
        left.leftJoin(right, Program::joined, Named.as("lefts"), Materialized.as("kept")).toStream().to("left-out");
        left.outerJoin(right, Program::joined, Named.as("outers")).toStream().to("outer");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
