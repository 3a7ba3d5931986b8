import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Records of one topic are worked on as they were written, whatever their timestamps. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").peek((key, value) -> log.add(value)).to("out");
        return builder.build();
    }
}
