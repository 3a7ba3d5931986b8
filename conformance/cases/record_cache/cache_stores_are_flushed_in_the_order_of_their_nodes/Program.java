import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** At a commit the stores are flushed one after the other, in the order of their nodes in the topology. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> words = builder.<String, String>stream("in").flatMapValues(line -> List.of(line.split(" ")));
        KTable<String, Long> z = words.groupByKey().count(Materialized.as("z"));
        KTable<String, Long> a = words.groupByKey().count(Materialized.as("a"));
        a.toStream().peek((key, value) -> log.add("a " + key + " " + value)).to("out");
        z.toStream().peek((key, value) -> log.add("z " + key + " " + value)).to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
