import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A processor may have several parents; records come as they arrive. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology topology = new Topology();
        topology.addSource("one", "first");
        topology.addSource("two", "second", "third");
        topology.addProcessor("both", Where::new, "one", "two");
        topology.addSink("sink", "out", "both");
        return topology;
    }

    static class Where extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record.withValue(context().recordMetadata().get().topic()));
        }
    }
}
