import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** The result of one foreign-key join is the left table of another. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        KTable<String, String> third = builder.table("third");
        KTable<String, String> two = left.join(right, Program::foreignKey, (one, other) -> one + other);
        KTable<String, String> three = two.join(third, value -> value.split("/")[1], Program::joined);
        three.toStream().to("out");
    }

    static String foreignKey(String value) {
        int bar = value.indexOf('|');
        return bar < 0 || bar == value.length() - 1 ? null : value.substring(bar + 1);
    }

    static String joined(String left, String right) {
        return "(" + left + "," + right + ")";
    }
}
