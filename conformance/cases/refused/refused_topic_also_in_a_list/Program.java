import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** A topic of a list cannot also be read alone. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(List.of("a", "b")).to("out");
        builder.stream("a").to("out");
        return builder.build();
    }
}
