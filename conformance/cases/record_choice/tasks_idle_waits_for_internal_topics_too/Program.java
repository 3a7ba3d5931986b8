import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;

/** In the driver the one task also waits for records of its own repartition topic. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").repartition(Repartitioned.as("again")).to("out");
        return builder.build();
    }

    public void configure(Properties config) {
        config.put("max.task.idle.ms", 100);
    }
}
