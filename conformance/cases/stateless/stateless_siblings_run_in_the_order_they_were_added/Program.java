import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** Children of one node run in the order in which the program added them, whatever their names. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        for (String name : List.of("m", "z", "a", "k", "b", "y")) {
            stream.peek((key, value) -> log.add(name), Named.as(name)).to("out");
        }
        return builder.build();
    }
}
