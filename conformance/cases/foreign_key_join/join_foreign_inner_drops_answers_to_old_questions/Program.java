import java.util.Arrays;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/**
 * Two changes of a left row before the first answer has come: that answer no longer fits the
 * row and is dropped.
 */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> changes = builder.stream("changes");
        KTable<String, String> left = changes
            .flatMapValues(value -> {
                String[] rows = value.split(",", -1);
                for (int i = 0; i < rows.length; i++) {
                    rows[i] = rows[i].isEmpty() ? null : rows[i];
                }
                return Arrays.asList(rows);
            })
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
