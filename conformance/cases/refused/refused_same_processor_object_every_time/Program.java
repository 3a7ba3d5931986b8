import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A supplier must give a new processor each time. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        Nothing processor = new Nothing();
        result.addSource("source", "in");
        result.addProcessor("processor", () -> processor, "source");
        return result;
    }

    static class Nothing extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
        }
    }
}
