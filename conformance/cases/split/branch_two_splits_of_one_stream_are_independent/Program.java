import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** Two splits of the same stream each give every record one place. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.split(Named.as("one-")).branch(
            (key, value) -> "x".equals(value), Branched.withConsumer(branch -> branch.to("one-x"))
        ).defaultBranch(Branched.withConsumer(branch -> branch.to("one-rest")));
        stream.split(Named.as("two-")).branch(
            (key, value) -> "a".equals(key), Branched.withConsumer(branch -> branch.to("two-a"))
        ).noDefaultBranch();
        return builder.build();
    }
}
