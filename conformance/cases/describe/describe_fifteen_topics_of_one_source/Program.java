import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Fifteen topics: the hash set has grown. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(List.of(TOPICS.split(" "))).to("out");
        return builder.build();
    }

    static final String TOPICS =
        "ocean lamp tiger stone apple river cloud music paper green light north sugar table voice";
}
