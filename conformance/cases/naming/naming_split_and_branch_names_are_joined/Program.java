import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.ValueMapper;

/** A branch is called by the name of the split and its own name or position, without a separator. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        Map<String, KStream<String, String>> branches = builder.<String, String>stream("in")
            .split(Named.as("fruit"))
            .branch((key, value) -> "apple".equals(value), Branched.as("Apple"))
            .branch((key, value) -> "pear".equals(value))
            .branch((key, value) -> "plum".equals(value), Branched.as("-plum"))
            .defaultBranch();
        for (String name : new TreeMap<>(branches).keySet()) {
            branches.get(name).mapValues(putBefore(name)).to("out");
        }
        return builder.build();
    }

    static ValueMapper<String, String> putBefore(String name) {
        return value -> name + " " + value;
    }
}
