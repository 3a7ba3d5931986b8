import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** Views without a store of their own are looked up through the tables below. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.<String, String>table("left").filter((key, value) -> !value.startsWith("skip"));
        KTable<String, String> right = builder.<String, String>table("right").filterNot((key, value) -> value.equals("skip"));
        KTable<String, String> shouts = right.mapValues(value -> value.toUpperCase());
        left.leftJoin(shouts, Program::foreignKey, Program::joined).toStream().to("out");
    }

    static String foreignKey(String value) {
        int bar = value.indexOf('|');
        return bar < 0 || bar == value.length() - 1 ? null : value.substring(bar + 1);
    }

    static String joined(String left, String right) {
        return "(" + left + "," + right + ")";
    }
}
