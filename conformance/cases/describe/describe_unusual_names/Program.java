import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Nodes of the low-level topology may have any name. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("the source", "in");
        result.addProcessor("\u00fcn\u00efc\u00f6d\u00e9 \ud83d\ude80", Nothing::new, "the source");
        result.addProcessor("a, b", Nothing::new, "the source", "\u00fcn\u00efc\u00f6d\u00e9 \ud83d\ude80");
        result.addSink("--> x", "out", "a, b");
        return result;
    }

    static class Nothing extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
        }
    }
}
