import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** flat_map gives one record per pair of its list, in order; an empty list gives none. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").flatMap(
            (key, value) -> Stream.of(value.split("-")).filter(word -> !word.isEmpty())
                .map(word -> KeyValue.pair(word, key)).collect(Collectors.toList())
        ).to("out");
        return builder.build();
    }
}
