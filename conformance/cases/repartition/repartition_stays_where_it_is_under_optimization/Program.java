import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Repartitioned;

/** An explicit repartition is neither merged nor moved by topology.optimization=all. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> mapped = builder.<String, String>stream("in").selectKey((key, value) -> value);
        mapped.repartition(Repartitioned.as("one")).to("out");
        mapped.mapValues(value -> value + "2").repartition(Repartitioned.as("two")).to("out");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }
}
