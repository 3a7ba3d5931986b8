import java.util.Properties;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

public class Program extends DslCase {
    @Override
    public void configure(final Properties config) {
        config.put("dsl.store.format", "HEADERS");
    }

    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        final KTable<String, String> rows = builder.table("rows", as("source"));
        rows.filter((key, value) -> !"no".equals(value), as("kept")).toStream().to("kept");
        rows.mapValues(value -> value + "!", as("mapped")).toStream().to("mapped");
        final KGroupedStream<String, String> grouped = builder.<String, String>stream("in").groupByKey();
        grouped.reduce((one, other) -> one + other, as("reduced")).toStream().to("reduced");
        grouped.aggregate(() -> "", (key, value, sum) -> "gone".equals(value) ? null : sum + value, as("sums"))
            .toStream().to("sums");
        rows.groupBy((key, value) -> KeyValue.pair(value, key))
            .reduce((one, other) -> one + other, (one, other) -> one.replace(other, ""), as("regrouped"))
            .toStream().to("regrouped");
    }

    private static Materialized<String, String, KeyValueStore<Bytes, byte[]>> as(final String name) {
        return Materialized.as(name);
    }
}
