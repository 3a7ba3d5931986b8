import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Named;

/** Tables of streams with new keys are joined behind their topics. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.<String, String>stream("left").selectKey((key, value) -> value.substring(0, 1)).toTable(Named.as("lefts"));
        KTable<String, String> right = builder.<String, String>stream("right").selectKey((key, value) -> value.substring(0, 1)).toTable();
        left.outerJoin(right, Program::joined).toStream().to("out");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
