import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Named;

/** A name that a later verb would generate for itself clashes with it. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .filter((key, value) -> true, Named.as("KSTREAM-PEEK-0000000002"))
            .peek((key, value) -> { })
            .to("out");
        return builder.build();
    }
}
