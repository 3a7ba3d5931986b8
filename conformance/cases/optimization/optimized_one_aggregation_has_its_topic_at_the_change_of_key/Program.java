import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** Even one topic moves up to the change of key: what was between goes behind it. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> rekeyed = builder.<String, String>stream("in").selectKey((key, value) -> value);
        rekeyed.filter((key, value) -> !"y".equals(value)).groupByKey().count().toStream().to("counts");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }
}
