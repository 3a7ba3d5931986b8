import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** The map holds what the function of a branch gives, under the name of the branch. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        Map<String, KStream<String, String>> branches = builder.<String, String>stream("in")
            .split(Named.as("split-"))
            .branch(
                (key, value) -> "x".equals(value),
                Branched.withFunction(stream -> stream.mapValues(value -> value.toUpperCase()))
            )
            .defaultBranch(Branched.withFunction(stream -> stream.mapValues(Program::lenOf), "rest"));
        log.add(String.join(" ", new TreeMap<>(branches).keySet()));
        branches.get("split-1").to("x");
        branches.get("split-rest").to("rest");
        return builder.build();
    }

    static String lenOf(String value) {
        return String.valueOf(value.length());
    }
}
