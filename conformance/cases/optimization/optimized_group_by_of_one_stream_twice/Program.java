import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** Two calls of group_by are two changes of key. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.groupBy((key, value) -> value).count().toStream().to("counts");
        stream.groupBy((key, value) -> value).reduce((one, two) -> one + two).toStream().to("sums");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }
}
