import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** One sink of the low-level topology may have several parents. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("source", "in");
        result.addProcessor("a", () -> new Add("a"), "source");
        result.addProcessor("b", () -> new Add("b"), "a");
        result.addSink("sink", "out", "b", "source", "a");
        return result;
    }

    static class Add extends ContextualProcessor<String, String, String, String> {
        final String letter;

        Add(String letter) {
            this.letter = letter;
        }

        public void process(Record<String, String> record) {
            context().forward(record.withValue(record.value() + letter));
        }
    }
}
