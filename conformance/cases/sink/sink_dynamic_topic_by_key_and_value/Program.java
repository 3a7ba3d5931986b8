import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** A sink may choose its topic from key and value, record by record. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").to(
            (key, value, context) -> key + "-" + (value == null || value.isEmpty() ? "empty" : "full")
        );
        return builder.build();
    }
}
