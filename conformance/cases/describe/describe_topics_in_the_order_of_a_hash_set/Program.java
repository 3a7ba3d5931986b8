import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** The topics of a source are listed in the order of a Java hash set, not as given. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(List.of("orders")).to("out");
        builder.stream(List.of("pay", "bill")).to("out");
        builder.stream(List.of("one", "two", "three", "four", "five")).to("out");
        return builder.build();
    }
}
