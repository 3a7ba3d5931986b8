import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** A filter is asked about records with a null key, a null value or both. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.filter((key, value) -> key == null).to("keyless");
        stream.filter((key, value) -> value == null).to("valueless");
        return builder.build();
    }
}
