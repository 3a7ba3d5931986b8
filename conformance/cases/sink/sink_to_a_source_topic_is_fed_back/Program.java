import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** What is written to a topic that is also read comes back as input until it stops. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").filter((key, value) -> value.length() > 0).mapValues(
            value -> value.substring(1)
        ).to("in");
        return builder.build();
    }
}
