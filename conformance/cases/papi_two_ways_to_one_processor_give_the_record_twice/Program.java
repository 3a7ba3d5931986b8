import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A processor below two nodes of the same source gets the record once for each way. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology topology = new Topology();
        topology.addSource("source", "in");
        topology.addProcessor("left", () -> new Add("l"), "source");
        topology.addProcessor("right", () -> new Add("r"), "source");
        topology.addProcessor("both", () -> new Add("b"), "right", "left");
        topology.addSink("sink", "out", "both");
        return topology;
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
