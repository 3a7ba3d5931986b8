import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** map_values is called for null values and may give null for a value that was none. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").mapValues(value -> value == null ? "was null" : null).to("out");
        return builder.build();
    }
}
