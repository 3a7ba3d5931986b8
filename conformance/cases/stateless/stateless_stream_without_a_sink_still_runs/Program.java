import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** A stream that ends in no sink still runs its verbs. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").peek((key, value) -> log.add(value)).mapValues(value -> value.repeat(2));
        return builder.build();
    }
}
