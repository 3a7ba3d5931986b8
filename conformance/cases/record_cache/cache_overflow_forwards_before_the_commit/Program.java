import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/** An aggregate whose cache overflows forwards in the middle of a record; headers and topic count. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> letters = builder.<String, String>stream("in").flatMapValues(line -> List.of(line.split(" ")));
        letters.groupByKey().reduce((aggregate, value) -> aggregate + value, Materialized.as("sums")).toStream().to("out");
        letters.groupByKey().count(Materialized.as("counts")).toStream().to("counts");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 200);
    }
}
