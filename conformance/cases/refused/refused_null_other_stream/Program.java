import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** A merge must have another stream. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in").merge(null).to("out");
        return builder.build();
    }
}
