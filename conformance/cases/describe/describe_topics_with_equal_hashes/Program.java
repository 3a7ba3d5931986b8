import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Topics with equal hash codes stay in the order in which they were given. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(List.of("BB", "Aa", "C", "AaBB", "BBAa", "BBBB", "AaAa")).to("out");
        builder.stream(List.of("polygenelubricants", "zero", "random")).to("out");
        builder.stream(List.of("x", "Ca", "DB", "y")).to("out");
        return builder.build();
    }
}
