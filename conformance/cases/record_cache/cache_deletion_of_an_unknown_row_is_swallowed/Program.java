import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Materialized;

/** With a cache, the deletion of a row that is not there gives nothing; without a store it does. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.table("in", Materialized.as("rows")).toStream().to("out");
        builder.table("in2").toStream().to("out2");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
