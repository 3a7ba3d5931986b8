import java.util.Map;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** A split with only a default branch passes everything. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        Map<String, KStream<String, String>> branches = builder.<String, String>stream("in")
            .split(Named.as("split-")).defaultBranch(Branched.as("all"));
        branches.get("split-all").to("out");
        return builder.build();
    }
}
