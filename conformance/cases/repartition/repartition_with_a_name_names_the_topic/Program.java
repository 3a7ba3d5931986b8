import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;

/** The name of a repartition is the name of its topic and of its three nodes. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").repartition(Repartitioned.as("by-key")).to("out");
        return builder.build();
    }
}
