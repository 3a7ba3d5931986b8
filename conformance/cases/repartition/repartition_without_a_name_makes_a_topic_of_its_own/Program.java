import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** repartition() writes to an internal topic with the application id before its generated name. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").repartition().mapValues(value -> value + "!").to("out");
        return builder.build();
    }
}
