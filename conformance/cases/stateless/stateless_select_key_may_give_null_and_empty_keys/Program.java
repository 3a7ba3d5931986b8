import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** select_key replaces the key only; null and the empty string are different keys. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").selectKey(
            (key, value) -> value == null ? null : value.substring(1)
        ).to("out");
        return builder.build();
    }
}
