import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** The stores of filters and mapped tables are cached like any other. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> values = builder.<String, String>stream("in").flatMapValues(line -> {
            List<String> words = new ArrayList<>();
            for (String word : line.split(" ")) {
                words.add(word.equals("-") ? null : word);
            }
            return words;
        });
        KTable<String, String> table = values.toTable(Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("rows").withCachingDisabled());
        table.filter((key, value) -> !value.equals("x"), Materialized.as("kept")).toStream().to("kept");
        table.mapValues(value -> value + value, Materialized.as("doubled")).toStream().to("doubled");
        table.toStream().to("all");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
