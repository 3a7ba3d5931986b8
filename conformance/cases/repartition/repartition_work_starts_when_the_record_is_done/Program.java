import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** What a record sends through a repartition is worked on after that record is done everywhere. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> words = builder.<String, String>stream("in")
            .flatMapValues(value -> List.of(value.split("-")));
        words.peek((key, value) -> log.add("before " + value)).repartition().foreach(
            (key, value) -> log.add("after " + value)
        );
        words.foreach((key, value) -> log.add("beside " + value));
        return builder.build();
    }
}
