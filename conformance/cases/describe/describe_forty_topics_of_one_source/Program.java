import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** Forty topics with names that differ only in their number. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        List<String> topics = new ArrayList<>();
        for (int number = 0; number < 40; number++) {
            topics.add("topic-" + number);
        }
        builder.stream(topics).to("out");
        return builder.build();
    }
}
