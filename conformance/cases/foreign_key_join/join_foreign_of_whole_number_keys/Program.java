import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KTable;

/**
 * Keys may be of any type; the order of answers is that of the keys' bytes, so negative ones
 * come last.
 */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        Consumed<Integer, String> whole = Consumed.with(Serdes.Integer(), Serdes.String());
        KTable<Integer, String> left = builder.table("left", whole);
        KTable<Integer, String> right = builder.table("right", whole);
        left.join(right, value -> Integer.parseInt(value.split("\\|")[1]), Program::joined).toStream().to("out");
    }

    static String foreignKey(String value) {
        int bar = value.indexOf('|');
        return bar < 0 || bar == value.length() - 1 ? null : value.substring(bar + 1);
    }

    static String joined(String left, String right) {
        return "(" + left + "," + right + ")";
    }
}
