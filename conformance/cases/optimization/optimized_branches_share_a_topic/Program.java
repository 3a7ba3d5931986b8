import java.util.Map;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** Branches below one change of key share a topic before the split. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> rekeyed = builder.<String, String>stream("in").selectKey((key, value) -> value);
        Map<String, KStream<String, String>> branches = rekeyed.split(Named.as("by-"))
            .branch((key, value) -> "x".equals(value), Branched.as("x"))
            .defaultBranch(Branched.as("rest"));
        branches.get("by-x").groupByKey().count().toStream().to("counts");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }
}
