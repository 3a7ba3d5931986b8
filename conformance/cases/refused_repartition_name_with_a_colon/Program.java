import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;

/** The name of a repartition is checked like any other. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in").repartition(Repartitioned.as("my:topic")).to("out");
        return builder.build();
    }
}
