import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** The default extractor fails on a record with a negative timestamp. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in").to("out");
        return builder.build();
    }
}
