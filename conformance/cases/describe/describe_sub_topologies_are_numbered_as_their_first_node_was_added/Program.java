import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A sub-topology has the place of its first node; nodes added later do not move it. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("z", "z-topic");
        result.addSource("m", "m-topic");
        result.addSource("a", "a-topic");
        result.addProcessor("below-a", Nothing::new, "a");
        result.addProcessor("below-m", Nothing::new, "m");
        result.addProcessor("below-z", Nothing::new, "z");
        return result;
    }

    static class Nothing extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
        }
    }
}
