import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** A record goes to the first branch whose predicate accepts it and to no other. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        Map<String, KStream<String, String>> branches = builder.<String, String>stream("in")
            .split(Named.as("split-"))
            .branch((key, value) -> value.contains("a"), Branched.as("a"))
            .branch((key, value) -> value.contains("b"), Branched.as("b"))
            .branch((key, value) -> value.contains("a"), Branched.as("a-again"))
            .noDefaultBranch();
        for (String name : new TreeMap<>(branches).keySet()) {
            branches.get(name).to(name);
        }
        return builder.build();
    }
}
