import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** Many verbs below one stream: a program of the DSL with thirty nodes in one sub-topology. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream(List.of("left", "right"));
        for (int number = 0; number < 6; number++) {
            KStream<String, String> part = stream.filter((key, value) -> true);
            for (int step = 0; step < number; step++) {
                part = part.mapValues(value -> value);
            }
            part.to("out-" + number);
        }
        stream.merge(stream.mapValues(value -> value)).foreach((key, value) -> { });
        return builder.build();
    }
}
