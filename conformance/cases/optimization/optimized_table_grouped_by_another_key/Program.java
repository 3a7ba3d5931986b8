import java.util.Properties;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KTable;

/**
 * A table that is grouped has the topic of its rows for a changelog, and a topic for its
 * groups.
 */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KTable<String, String> rows = builder.table("rows");
        rows.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("out");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }
}
