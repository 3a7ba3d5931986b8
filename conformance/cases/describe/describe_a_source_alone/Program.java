import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** A source that nobody reads on from is a sub-topology of its own. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in");
        builder.stream("other").to("out");
        return builder.build();
    }
}
