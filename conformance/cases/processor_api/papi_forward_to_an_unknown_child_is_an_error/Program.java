import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** forward with a name that no child has fails, also if a node of that name is elsewhere. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("source", "in");
        result.addProcessor("route", Route::new, "source");
        result.addSink("child", "out", "route");
        result.addSink("beside", "out", "source");
        return result;
    }

    static class Route extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record, record.value());
        }
    }
}
