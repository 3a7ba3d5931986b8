import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Repartitioned;

/** A topic that the user asks for stays, and what is below it needs no other. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> rekeyed = builder.<String, String>stream("in").selectKey((key, value) -> value);
        rekeyed.groupByKey().count().toStream().to("counts");
        rekeyed.repartition(Repartitioned.as("mine")).groupByKey().reduce((one, two) -> one + two).toStream().to("sums");
        Properties config = new Properties();
        config.put("topology.optimization", "all");
        return builder.build(config);
    }

    @Override
    public void configure(Properties config) {
        config.put("topology.optimization", "all");
    }
}
