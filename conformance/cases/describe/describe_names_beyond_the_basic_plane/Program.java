import java.util.List;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Names are ordered by their UTF-16 units, as Java strings are. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("source", "in");
        for (String node : List.of("\uff5e", "\ud83d\ude80", "z", "\ue000")) {
            result.addProcessor(node, Nothing::new, "source");
        }
        return result;
    }

    static class Nothing extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
        }
    }
}
