import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/**
 * A left join below the shared topic wants records without a key: they pass, also to the
 * aggregation.
 */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> rekeyed = builder.<String, String>stream("in").selectKey((key, value) -> "y".equals(value) ? null : value);
        rekeyed.groupByKey().count().toStream().to("counts");
        rekeyed.leftJoin(builder.<String, String>table("rows"), (one, two) -> one + "+" + (two == null ? "None" : two)).to("joined");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }
}
