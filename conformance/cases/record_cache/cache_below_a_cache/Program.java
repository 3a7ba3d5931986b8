import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** What one cache lets out at a commit goes into the next one, which is flushed after it. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> words = builder.<String, String>stream("in").flatMapValues(line -> List.of(line.split(" ")));
        KTable<String, Long> counts = words.groupByKey().count(Materialized.as("counts"));
        KTable<String, Long> sums = counts.toStream().groupByKey().reduce((total, count) -> total + count, Materialized.as("sums"));
        sums.toStream().to("out");
        sums.filter((key, total) -> total > 3).toStream().to("many");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
