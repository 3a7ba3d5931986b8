import java.util.regex.Pattern;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Two streams of the same pattern share one source. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(Pattern.compile("in-.*")).mapValues(value -> value + "1").to("out");
        builder.<String, String>stream(Pattern.compile("in-.*")).mapValues(value -> value + "2").to("out");
        return builder.build();
    }
}
