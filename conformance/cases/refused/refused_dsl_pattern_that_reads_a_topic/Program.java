import java.util.regex.Pattern;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** A pattern cannot match a topic that another stream reads. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in-1").to("out");
        builder.stream(Pattern.compile("in-.*")).to("out");
        return builder.build();
    }
}
