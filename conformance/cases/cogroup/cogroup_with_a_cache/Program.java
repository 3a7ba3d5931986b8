import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.CogroupedKStream;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;

/** With a cache the changes of all streams come out together. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        Consumed<String, String> text = Consumed.with(Serdes.String(), Serdes.String());
        KGroupedStream<String, String> one = builder.stream("one", text).groupByKey();
        KGroupedStream<String, String> two = builder.stream("two", text).groupByKey();
        CogroupedKStream<String, String> cogrouped = one.<String>cogroup((key, value, total) -> total + "+" + value).cogroup(two, (key, value, total) -> total + "-" + value);
        cogrouped.aggregate(() -> "0", Materialized.as("sums")).toStream().to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
