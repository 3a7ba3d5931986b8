import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Merged topics give their records as they arrive, not by timestamp. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("left").merge(builder.stream("right")).to("out");
        return builder.build();
    }
}
