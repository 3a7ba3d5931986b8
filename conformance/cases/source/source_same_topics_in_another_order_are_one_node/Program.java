import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Two streams of the same topics in another order share one source. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(List.of("a", "b")).mapValues(value -> value + "1").to("out");
        builder.<String, String>stream(List.of("b", "a")).mapValues(value -> value + "2").to("out");
        return builder.build();
    }
}
