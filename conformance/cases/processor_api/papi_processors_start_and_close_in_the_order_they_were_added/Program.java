import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** init and close run in the order in which the nodes were added, not along the edges. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("source", "in");
        result.addProcessor("b", () -> new Life("b", log), "source");
        result.addProcessor("b1", () -> new Life("b1", log), "b");
        result.addProcessor("a", () -> new Life("a", log), "source");
        result.addProcessor("a1", () -> new Life("a1", log), "a");
        result.addProcessor("b2", () -> new Life("b2", log), "b");
        return result;
    }

    static class Life extends ContextualProcessor<String, String, String, String> {
        final String name;
        final Log log;

        Life(String name, Log log) {
            this.name = name;
            this.log = log;
        }

        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            log.add("init " + name);
        }

        public void process(Record<String, String> record) {
            log.add("process " + name);
            context().forward(record);
        }

        public void close() {
            log.add("close " + name);
        }
    }
}
