import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/** What is only read takes room too, and may push out what was written. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> words = builder.<String, String>stream("in").flatMapValues(line -> List.of(line.split(" ")));
        words.groupByKey().reduce((aggregate, value) -> aggregate + value, Materialized.as("sums")).toStream().to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 130);
    }
}
