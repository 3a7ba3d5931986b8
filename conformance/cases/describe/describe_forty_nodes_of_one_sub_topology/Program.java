import java.util.Arrays;
import java.util.List;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Forty nodes: the hash map has grown, and its order with it. */
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
        "tiger ocean source",
        "stone tiger",
        "apple ocean",
        "river stone",
        "cloud river ocean stone",
        "music cloud river",
        "paper stone cloud tiger",
        "green stone paper",
        "light river",
        "north green",
        "sugar green",
        "table light",
        "voice green sugar",
        "water voice",
        "zebra table",
        "chair zebra",
        "dream water",
        "eagle water zebra table",
        "flame zebra eagle water",
        "grape chair water",
        "house flame",
        "island flame",
        "jungle flame",
        "knife eagle jungle",
        "lemon flame grape jungle",
        "mouse jungle",
        "night mouse knife",
        "onion island mouse",
        "piano knife lemon night",
        "queen mouse",
        "robot lemon",
        "snake mouse night",
        "train snake",
        "uncle onion",
        "violin snake",
        "whale robot uncle",
        "xenon uncle",
        "yacht train xenon"
    );

    static class Nothing extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
        }
    }
}
