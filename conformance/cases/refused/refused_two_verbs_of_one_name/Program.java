import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** Two verbs cannot have the same name. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.filter((key, value) -> true, Named.as("same")).to("out");
        stream.mapValues(value -> value, Named.as("same")).to("out");
        return builder.build();
    }
}
