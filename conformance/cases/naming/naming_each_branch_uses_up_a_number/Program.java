import java.util.Map;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.KStream;

/** A split and each of its branches use up a number, named or not. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        Map<String, KStream<String, String>> branches = builder.<String, String>stream("in")
            .split()
            .branch((key, value) -> "x".equals(value))
            .branch((key, value) -> "y".equals(value), Branched.as("-y"))
            .defaultBranch();
        branches.get("KSTREAM-BRANCH-00000000011").to("out");
        branches.get("KSTREAM-BRANCH-0000000001-y").to("out");
        branches.get("KSTREAM-BRANCH-00000000010").to("out");
        return builder.build();
    }
}
