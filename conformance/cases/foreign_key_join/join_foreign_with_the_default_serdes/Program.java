import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** Serdes that nobody gave are the default ones, everywhere. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<Integer, String> left = builder.table("left");
        KTable<Integer, String> right = builder.table("right");
        left.join(right, value -> Integer.parseInt(value.split("\\|")[1]), Program::joined, Materialized.as("results"))
            .toStream().to("out");
    }

    @Override
    public void configure(Properties config) {
        config.put("default.key.serde", Serdes.Integer().getClass().getName());
    }

    static String foreignKey(String value) {
        int bar = value.indexOf('|');
        return bar < 0 || bar == value.length() - 1 ? null : value.substring(bar + 1);
    }

    static String joined(String left, String right) {
        return "(" + left + "," + right + ")";
    }
}
