import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/** With a cache, several updates of a key between two commits are one, with the last value and the latest time. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> words = builder.<String, String>stream("in").flatMapValues(line -> List.of(line.split(" ")));
        words.groupByKey().count(Materialized.as("counts")).toStream().to("counts");
        words.groupByKey().reduce((aggregate, value) -> aggregate + value).toStream().to("sums");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
