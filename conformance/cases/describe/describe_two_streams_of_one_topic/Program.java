import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Two streams of one topic are one source with the children of both. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in").filter((key, value) -> true).to("first");
        builder.stream("other").to("second");
        builder.stream("in").mapValues(value -> value).peek((key, value) -> { }).to("third");
        return builder.build();
    }
}
