import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/**
 * A cached table's old value is the one in the store at the flush; the first has none, whatever the initializer gave.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> words = builder.<String, String>stream("in").flatMapValues(line -> List.of(line.split(" ")));
        KTable<String, String> table = words.groupByKey().aggregate(() -> "", (key, value, total) -> total + value);
        table.filter((key, value) -> {
            log.add(key + " " + value);
            return value.length() > 2;
        }).toStream().to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
