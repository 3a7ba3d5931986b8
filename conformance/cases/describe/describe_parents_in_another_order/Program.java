import java.util.Arrays;
import java.util.List;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** The parents of a node are not listed as they were given. */
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
        "c source",
        "b c",
        "a source",
        "meet a b c source",
        "other a",
        "more other"
    );

    static class Nothing extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
        }
    }
}
