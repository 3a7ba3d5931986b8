import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.Named;

/** A branch named 0 has the name of the unnamed default branch. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").split(Named.as("split-")).branch(
            (key, value) -> "x".equals(value), Branched.as("0")
        ).defaultBranch();
        return builder.build();
    }
}
