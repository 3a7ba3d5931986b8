import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.Named;

/** The name of a branch is checked like any other. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in").split(Named.as("split-")).branch(
            (key, value) -> true, Branched.as("my:branch")
        ).noDefaultBranch();
        return builder.build();
    }
}
