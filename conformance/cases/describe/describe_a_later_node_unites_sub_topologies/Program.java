import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A node with parents in two groups makes one sub-topology of them; the others move up. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("one", "topic-1");
        result.addSource("two", "topic-2");
        result.addSource("three", "topic-3");
        result.addProcessor("p-one", Nothing::new, "one");
        result.addProcessor("p-two", Nothing::new, "two");
        result.addProcessor("p-three", Nothing::new, "three");
        result.addSink("united", "out", "p-three", "p-one");
        return result;
    }

    static class Nothing extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
        }
    }
}
