import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** Views without a store are looked up through the tables above them. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.<String, String>table("left").filter((key, value) -> !value.equals("skip"));
        KTable<String, String> right = builder.<String, String>table("right").filterNot((key, value) -> value.equals("skip"));
        KTable<String, String> shouts = right.mapValues((key, value) -> key + value.toUpperCase());
        left.mapValues(value -> value + "!").join(shouts, Program::joined).toStream().to("out");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
