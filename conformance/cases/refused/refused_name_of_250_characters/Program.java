import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Named;

/** A name must not have more than 249 characters. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in").filter((key, value) -> true, Named.as("n".repeat(250))).to("out");
        return builder.build();
    }
}
