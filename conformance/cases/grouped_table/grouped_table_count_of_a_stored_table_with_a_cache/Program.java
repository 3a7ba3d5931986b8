import java.util.Properties;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** With caches the moves of a row come at the flush. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Materialized.as("rows"));
        table.groupBy((key, value) -> KeyValue.pair(value, key)).count(Materialized.as("counts")).toStream().to("out");
    }

    @Override
    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
