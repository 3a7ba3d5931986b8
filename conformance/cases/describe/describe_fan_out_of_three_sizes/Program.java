import java.util.Arrays;
import java.util.List;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Nodes are listed by their size, arrows by the sizes of the moment they were drawn. */
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
        "small source",
        "middle source",
        "m1 middle",
        "large source",
        "l1 large",
        "l2 l1"
    );

    static class Nothing extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
        }
    }
}
