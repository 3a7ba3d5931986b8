import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Sub-topologies are listed by number, not by text: 2 before 10. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        for (int number = 0; number < 12; number++) {
            builder.stream("in-" + number).to("out");
        }
        return builder.build();
    }
}
