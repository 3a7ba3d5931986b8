import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** Processors are initialised from the sources down, and closed in the same order. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology topology = new Topology();
        topology.addSource("source", "in");
        topology.addProcessor("first", () -> new Life("first", log), "source");
        topology.addProcessor("second", () -> new Life("second", log), "first");
        topology.addProcessor("beside", () -> new Life("beside", log), "source");
        topology.addSink("sink", "out", "second", "beside");
        return topology;
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
