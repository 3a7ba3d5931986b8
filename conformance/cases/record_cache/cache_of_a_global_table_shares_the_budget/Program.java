import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Materialized;

/**
 * Rows of a global table count in the same cache as those of other stores: with one of them in it, an aggregate
 * overflows in the middle of a record.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.globalTable("names");
        builder.<String, String>stream("in")
            .flatMapValues(line -> List.of(line.split(" ")))
            .groupByKey()
            .reduce((aggregate, value) -> aggregate + value, Materialized.as("sums"))
            .toStream()
            .to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 100);
    }
}
