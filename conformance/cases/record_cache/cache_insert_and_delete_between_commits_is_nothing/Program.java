import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/** A row that comes and goes between two commits gives no record, not even in the changelog. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> values = builder.<String, String>stream("in").flatMapValues(line -> {
            List<String> words = new ArrayList<>();
            for (String word : line.split(" ")) {
                words.add(word.equals("-") ? null : word);
            }
            return words;
        });
        values.toTable(Materialized.as("rows")).toStream().to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
