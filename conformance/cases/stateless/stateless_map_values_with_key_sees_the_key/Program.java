import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** map_values_with_key is given the key and leaves it as it was, null included. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.mapValues((key, value) -> (key == null ? "-" : key) + "/" + (value == null ? "-" : value)).to("out");
        return builder.build();
    }
}
