import java.util.Arrays;
import java.util.List;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Twelve children of different sizes below one source; the arrows keep the sizes of their time. */
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
        "kilo source",
        "alpha source",
        "alpha0 alpha",
        "alpha1 alpha0",
        "alpha2 alpha1",
        "alpha3 alpha2",
        "alpha4 alpha3",
        "lima source",
        "lima0 lima",
        "lima1 lima0",
        "lima2 lima1",
        "bravo source",
        "bravo0 bravo",
        "mike source",
        "mike0 mike",
        "mike1 mike0",
        "mike2 mike1",
        "mike3 mike2",
        "mike4 mike3",
        "mike5 mike4",
        "charlie source",
        "charlie0 charlie",
        "charlie1 charlie0",
        "charlie2 charlie1",
        "charlie3 charlie2",
        "november source",
        "november0 november",
        "november1 november0",
        "delta source",
        "oscar source",
        "oscar0 oscar",
        "oscar1 oscar0",
        "oscar2 oscar1",
        "oscar3 oscar2",
        "oscar4 oscar3",
        "echo source",
        "echo0 echo",
        "echo1 echo0",
        "echo2 echo1",
        "papa source",
        "papa0 papa",
        "foxtrot source",
        "foxtrot0 foxtrot",
        "foxtrot1 foxtrot0",
        "foxtrot2 foxtrot1",
        "foxtrot3 foxtrot2",
        "foxtrot4 foxtrot3",
        "foxtrot5 foxtrot4"
    );

    static class Nothing extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
        }
    }
}
