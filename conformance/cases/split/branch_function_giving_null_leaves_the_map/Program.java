import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** A function that gives null ends its branch: it has no entry in the map. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        Map<String, KStream<String, String>> branches = builder.<String, String>stream("in")
            .split(Named.as("split-"))
            .branch((key, value) -> "x".equals(value), Branched.withFunction(Program::toAside, "aside"))
            .branch((key, value) -> "y".equals(value), Branched.as("kept"))
            .noDefaultBranch();
        log.add(String.join(" ", new TreeMap<>(branches).keySet()));
        branches.get("split-kept").to("out");
        return builder.build();
    }

    static KStream<String, String> toAside(KStream<String, String> stream) {
        stream.to("aside");
        return null;
    }
}
