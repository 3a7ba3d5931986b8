import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;

/** The second stream() of a topic shares the first one's node but still uses up a number. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").mapValues(value -> value + "1").to("out");
        builder.<String, String>stream("in").mapValues(value -> value + "2").to("out");
        builder.<String, String>stream("in", Consumed.as("unused")).mapValues(value -> value + "3").to("out");
        return builder.build();
    }
}
