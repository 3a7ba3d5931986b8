import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Two topics of one source are two partitions of the task: each is waited for. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(List.of("left", "right")).to("out");
        return builder.build();
    }

    public void configure(Properties config) {
        config.put("max.task.idle.ms", 50);
    }
}
