import java.util.regex.Pattern;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** A source with a pattern shows the pattern, a sink with a topic function only that it has one. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream(Pattern.compile("in-[a-z]+|other\\.(\\d+)"));
        stream.to((key, value, context) -> "out");
        stream.to("static");
        return builder.build();
    }
}
