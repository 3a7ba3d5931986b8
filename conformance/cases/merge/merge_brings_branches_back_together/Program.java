import java.util.Map;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** Branches that were treated differently may be merged again. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        Map<String, KStream<String, String>> branches = builder.<String, String>stream("in")
            .split(Named.as("split-"))
            .branch((key, value) -> value.matches("[0-9]+"), Branched.as("digits"))
            .defaultBranch(Branched.as("words"));
        KStream<String, String> digits = branches.get("split-digits")
            .mapValues(value -> new StringBuilder(value).reverse().toString());
        branches.get("split-words").merge(digits, Named.as("together")).to("out");
        return builder.build();
    }
}
