import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** The stores of views keep their changelogs; only that of the table goes. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KTable<String, String> rows = builder.table("rows", Materialized.as("rows-store"));
        rows.filter((key, value) -> !value.equals("y"), Materialized.as("kept")).toStream().to("out");
        rows.mapValues(value -> value.toUpperCase(), Materialized.as("shouts")).toStream().to("shouts");
        Properties config = new Properties();
        config.put("topology.optimization", "reuse.ktable.source.topics");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "reuse.ktable.source.topics");
    }
}
