import java.time.Duration;
import java.util.Map;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** Merged and branched streams are joined where they meet. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> one = builder.stream("one");
        KStream<String, String> two = builder.stream("two");
        Map<String, KStream<String, String>> branches = one.merge(two).split(Named.as("split-"))
            .branch((key, value) -> value.equals(value.toLowerCase()), Branched.as("small"))
            .defaultBranch(Branched.as("big"));
        branches.get("split-big").outerJoin(branches.get("split-small"), (l, r) -> l + "-" + r, JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(5L))).to("out");
    }
}
