import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** flat_map_values_with_key is given the key and keeps it. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").flatMapValues(
            (key, value) -> Stream.of(value.split("")).filter(letter -> !letter.equals(key))
                .map(letter -> key + ":" + letter).collect(Collectors.toList())
        ).to("out");
        return builder.build();
    }
}
