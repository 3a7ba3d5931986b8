import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** A node is drawn when all its parents are, whatever the order of the program. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> first = builder.stream("first");
        KStream<String, String> late = builder.<String, String>stream("late").mapValues(value -> value);
        first.filter((key, value) -> true).merge(late.peek((key, value) -> { })).to("out");
        late.merge(first).filter((key, value) -> true).merge(builder.stream("last")).to("out");
        return builder.build();
    }
}
