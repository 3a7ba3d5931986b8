import java.util.Map;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** Without a default branch a record that nobody accepts vanishes and is not counted as dropped. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        Map<String, KStream<String, String>> branches = builder.<String, String>stream("in")
            .split(Named.as("split-"))
            .branch((key, value) -> "x".equals(value))
            .noDefaultBranch();
        branches.get("split-1").to("out");
        return builder.build();
    }
}
