import java.util.List;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** The pairs of a flat_map may have null keys and null values. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").flatMap((key, value) -> List.of(
            KeyValue.pair((String) null, value), KeyValue.pair(key, (String) null),
            KeyValue.pair((String) null, (String) null), KeyValue.pair(value, key)
        )).to("out");
        return builder.build();
    }
}
