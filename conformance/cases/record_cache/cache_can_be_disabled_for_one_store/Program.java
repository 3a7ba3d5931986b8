import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** A store without caching forwards each update; others are not touched. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> words = builder.<String, String>stream("in").flatMapValues(line -> List.of(line.split(" ")));
        words.groupByKey().count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("each").withCachingDisabled()).toStream().to("each");
        words.groupByKey().count(Materialized.as("last")).toStream().to("last");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
