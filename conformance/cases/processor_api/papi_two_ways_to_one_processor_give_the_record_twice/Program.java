import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A processor below two nodes of the same source gets the record once for each way. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("source", "in");
        result.addProcessor("left", () -> new Add("l"), "source");
        result.addProcessor("right", () -> new Add("r"), "source");
        result.addProcessor("both", () -> new Add("b"), "right", "left");
        result.addSink("sink", "out", "both");
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
