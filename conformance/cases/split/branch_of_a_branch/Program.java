import java.util.Map;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/** A branch may be split again; the names of the inner split stand alone. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        Map<String, KStream<String, String>> outer = builder.<String, String>stream("in")
            .split(Named.as("sign-"))
            .branch((key, value) -> value.startsWith("-"), Branched.as("minus"))
            .defaultBranch(Branched.as("plus"));
        Map<String, KStream<String, String>> inner = outer.get("sign-plus")
            .split(Named.as("size-"))
            .branch((key, value) -> value.length() > 1, Branched.as("long"))
            .defaultBranch(Branched.as("short"));
        outer.get("sign-minus").to("minus");
        inner.get("size-long").to("long");
        inner.get("size-short").to("short");
        return builder.build();
    }
}
