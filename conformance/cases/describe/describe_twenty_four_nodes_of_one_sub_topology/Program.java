import java.util.Arrays;
import java.util.List;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Twenty-four nodes with several parents; arrows depend on the order of a Java hash map. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("source", "in");
        for (String line : NODES) {
            String[] words = line.split(" ");
            result.addProcessor(words[0], Nothing::new, Arrays.copyOfRange(words, 1, words.length));
        }
        return result;
    }

    /** Each line is a processor and its parents. */
    static final List<String> NODES = List.of(
        "ocean source",
        "lamp source ocean",
        "tiger source ocean",
        "stone source lamp",
        "apple source",
        "river tiger",
        "cloud ocean lamp",
        "music river",
        "paper tiger cloud",
        "green apple",
        "light green paper apple",
        "north green paper",
        "sugar music",
        "table north",
        "voice light",
        "water light table",
        "zebra voice",
        "chair water",
        "dream table sugar chair",
        "eagle table",
        "flame eagle voice",
        "grape water eagle",
        "house eagle",
        "island grape flame eagle"
    );

    static class Nothing extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
        }
    }
}
