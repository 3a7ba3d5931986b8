import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** Two sinks on one topic both write, in the order of the program. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.mapValues(value -> value + "1").to("out");
        stream.to("out");
        stream.mapValues(value -> value + "2").to("out");
        return builder.build();
    }
}
