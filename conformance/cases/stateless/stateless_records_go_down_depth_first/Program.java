import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** The first record of a flat_map runs through all nodes before the second one starts. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> words = builder.<String, String>stream("in")
            .flatMapValues(value -> List.of(value.split("-")));
        words.peek((key, value) -> log.add("left " + value)).foreach((key, value) -> log.add("left end " + value));
        words.peek((key, value) -> log.add("right " + value)).foreach((key, value) -> log.add("right end " + value));
        return builder.build();
    }
}
