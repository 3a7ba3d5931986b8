import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/**
 * A row that must leave the cache of one store still counts while it is forwarded: the cache of the store below finds no
 * room either.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> letters =
            builder.<String, String>stream("in").flatMapValues(line -> List.of(line.split(" ")));
        letters.groupByKey()
            .reduce((aggregate, value) -> aggregate + value, Materialized.as("one"))
            .mapValues(word -> word + "*", Materialized.as("two"))
            .toStream()
            .to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 120);
    }
}
