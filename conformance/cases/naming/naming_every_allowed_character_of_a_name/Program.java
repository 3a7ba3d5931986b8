import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Named;

/** A name may hold letters, digits, dots, underscores and hyphens, and 249 of them. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .peek((key, value) -> { }, Named.as("AZaz09._-"))
            .peek((key, value) -> { }, Named.as("..."))
            .peek((key, value) -> { }, Named.as("n".repeat(249)))
            .to("out");
        return builder.build();
    }
}
