import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Of many topics with equal timestamps the next is what a binary heap gives, not the oldest. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(List.of("a", "b", "c", "d", "e")).to("out");
        return builder.build();
    }

    public void configure(Properties config) {
        config.put("max.task.idle.ms", 100);
    }
}
