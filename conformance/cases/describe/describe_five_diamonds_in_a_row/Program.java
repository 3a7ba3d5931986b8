import java.util.Arrays;
import java.util.List;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Sizes double at every diamond: each way counts. */
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
        "l0 source",
        "r0 source",
        "m0 r0 l0",
        "l1 m0",
        "r1 m0",
        "m1 r1 l1",
        "l2 m1",
        "r2 m1",
        "m2 r2 l2",
        "l3 m2",
        "r3 m2",
        "m3 r3 l3",
        "l4 m3",
        "r4 m3",
        "m4 r4 l4"
    );

    static class Nothing extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
        }
    }
}
