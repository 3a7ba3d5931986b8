import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Materialized;

/** A deletion that is flushed has the time of the record that made it, not of the row. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.table("in", Materialized.as("rows")).toStream().to("out");
        builder.<String, String>stream("in2").groupByKey()
            .reduce((aggregate, value) -> value.equals("end") ? null : aggregate + value, Materialized.as("joined"))
            .toStream().to("out2");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
