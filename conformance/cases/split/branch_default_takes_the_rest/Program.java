import java.util.Map;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** The default branch takes what nobody accepted, nulls included. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        Map<String, KStream<String, String>> branches = builder.<String, String>stream("in")
            .split(Named.as("split-"))
            .branch((key, value) -> "x".equals(value))
            .branch((key, value) -> "b".equals(key))
            .defaultBranch();
        branches.get("split-1").to("x");
        branches.get("split-2").to("b");
        branches.get("split-0").to("rest");
        return builder.build();
    }
}
