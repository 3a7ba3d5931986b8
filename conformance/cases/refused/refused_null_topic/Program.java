import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** A sink must have a topic. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in").to((String) null);
        return builder.build();
    }
}
