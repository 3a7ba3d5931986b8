import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** A branch with a consumer is drawn by it and has no entry in the map. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        Map<String, KStream<String, String>> branches = builder.<String, String>stream("in")
            .split(Named.as("split-"))
            .branch((key, value) -> "x".equals(value), Branched.withConsumer(stream -> stream.to("x")))
            .branch((key, value) -> "y".equals(value))
            .defaultBranch(Branched.withConsumer(stream -> stream.to("rest"), "rest"));
        log.add(String.join(" ", new TreeMap<>(branches).keySet()));
        branches.get("split-2").to("y");
        return builder.build();
    }
}
