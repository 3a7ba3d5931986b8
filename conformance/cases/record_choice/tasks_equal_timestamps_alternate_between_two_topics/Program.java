import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Of two topics with equal timestamps the one that was not served last is next. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("b").merge(builder.stream("a")).to("out");
        return builder.build();
    }

    public void configure(Properties config) {
        config.put("max.task.idle.ms", 100);
    }
}
