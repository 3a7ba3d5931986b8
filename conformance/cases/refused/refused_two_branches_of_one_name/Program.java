import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.Named;

/** Two branches of a split cannot have the same name. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").split(Named.as("split-")).branch(
            (key, value) -> "x".equals(value), Branched.as("same")
        ).branch((key, value) -> "y".equals(value), Branched.as("same")).noDefaultBranch();
        return builder.build();
    }
}
