import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Sub-topologies that only share a topic stay apart. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").mapValues(value -> value).to("between");
        builder.stream("between").filter((key, value) -> true).to("out");
        builder.stream("out").foreach((key, value) -> { });
        return builder.build();
    }
}
