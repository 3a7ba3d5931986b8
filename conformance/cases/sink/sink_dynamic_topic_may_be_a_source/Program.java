import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** A record that a dynamic sink sends to a source topic is fed back. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").to((key, value, context) -> value.equals("x") ? "next" : "out");
        builder.<String, String>stream("next").mapValues(value -> value + "!").to("out");
        return builder.build();
    }
}
