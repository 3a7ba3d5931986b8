import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** A merge of a merge has a node of its own; all three inputs arrive. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> one = builder.<String, String>stream("one").mapValues(value -> value + "!");
        KStream<String, String> two = builder.stream("two");
        KStream<String, String> three = builder.<String, String>stream("three")
            .filter((key, value) -> !value.equals("no"));
        one.merge(two).merge(three).to("out");
        return builder.build();
    }
}
