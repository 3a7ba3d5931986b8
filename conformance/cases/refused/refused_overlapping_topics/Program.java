import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Two streams may share all of their topics or none, not some. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(List.of("a", "b")).to("out");
        builder.stream(List.of("b", "c")).to("out");
        return builder.build();
    }
}
