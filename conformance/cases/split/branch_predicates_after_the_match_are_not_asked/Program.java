import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Predicate;

/** Predicates are asked in order until one accepts; the ones behind it are not called. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        Map<String, KStream<String, String>> branches = builder.<String, String>stream("in")
            .split(Named.as("split-"))
            .branch(asked(log, "x", "x"))
            .branch(asked(log, "y", "y"))
            .branch(asked(log, "z", "z"))
            .defaultBranch();
        for (String name : new TreeMap<>(branches).keySet()) {
            branches.get(name).foreach((key, value) -> log.add(name + " " + value));
        }
        return builder.build();
    }

    static Predicate<String, String> asked(Log log, String name, String answer) {
        return (key, value) -> {
            log.add(name + "? " + value);
            return value.equals(answer);
        };
    }
}
