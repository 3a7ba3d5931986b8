import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** A topic written by one sub-topology and read by another joins them without an edge. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").mapValues(value -> value + "1").to("between");
        builder.<String, String>stream("between").mapValues(value -> value + "2").to("out");
        return builder.build();
    }
}
