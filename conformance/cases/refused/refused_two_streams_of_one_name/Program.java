import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;

/** Two sources of different topics cannot have the same name. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("one", Consumed.as("same")).to("out");
        builder.stream("two", Consumed.as("same")).to("out");
        return builder.build();
    }
}
