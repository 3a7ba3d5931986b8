import java.util.Arrays;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** With a cache, several changes of a row by one record become one. */
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
            .toTable(Materialized.as("lefts"));
        KTable<String, String> right = builder.table("right", Materialized.as("rights"));
        left.leftJoin(right, Program::foreignKey, Program::joined, Materialized.as("results")).toStream().to("out");
    }

    @Override
    public void configure(Properties config) {
        config.put("statestore.cache.max.bytes", 100_000L);
    }

    static String foreignKey(String value) {
        int bar = value.indexOf('|');
        return bar < 0 || bar == value.length() - 1 ? null : value.substring(bar + 1);
    }

    static String joined(String left, String right) {
        return "(" + left + "," + right + ")";
    }
}
