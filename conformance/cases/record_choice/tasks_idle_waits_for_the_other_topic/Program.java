import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Records wait until every topic has one, then the lowest timestamp is taken first. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("left").merge(builder.stream("right")).to("out");
        return builder.build();
    }

    public void configure(Properties config) {
        config.put("max.task.idle.ms", 100);
    }
}
