import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** A table that goes through a repartition topic is joined behind it. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.<String, String>stream("in")
            .map((key, value) -> KeyValue.pair(value.split(":")[0], value.split(":")[1]))
            .toTable();
        KTable<String, String> right = builder.table("right");
        left.join(right, Program::foreignKey, Program::joined).toStream().to("out");
    }

    static String foreignKey(String value) {
        int bar = value.indexOf('|');
        return bar < 0 || bar == value.length() - 1 ? null : value.substring(bar + 1);
    }

    static String joined(String left, String right) {
        return "(" + left + "," + right + ")";
    }
}
