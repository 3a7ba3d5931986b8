import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/** The classic: lines into words, words into counts, all names generated. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> words = builder.<String, String>stream("in").flatMapValues(line -> List.of(line.toLowerCase().split(" ")));
        KTable<String, Long> counts = words.groupBy((key, word) -> word).count();
        counts.toStream().to("out");
        counts.toStream().filter((word, count) -> count > 1).to("often");
    }
}
