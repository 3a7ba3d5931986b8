import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** One stream of several topics is one source; records come as they arrive. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream(List.of("b", "a", "c"));
        stream.mapValues((key, value) -> key + "." + value).to("out");
        return builder.build();
    }
}
