import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** forward gives the record to all children in the order they were added, whatever their names. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("source", "in");
        result.addProcessor("fan", Fan::new, "source");
        result.addSink("z", "first", "fan");
        result.addProcessor("m", () -> new Note("m", log), "fan");
        result.addProcessor("a", () -> new Note("a", log), "fan");
        result.addProcessor("k", () -> new Note("k", log), "fan");
        return result;
    }

    static class Fan extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record);
        }
    }

    static class Note extends ContextualProcessor<String, String, String, String> {
        final String name;
        final Log log;

        Note(String name, Log log) {
            this.name = name;
            this.log = log;
        }

        public void process(Record<String, String> record) {
            log.add(name + " " + record.value());
        }
    }
}
