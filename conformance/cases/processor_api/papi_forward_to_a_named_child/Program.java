import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** forward with a child's name gives the record to that child alone. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("source", "in");
        result.addProcessor("route", Route::new, "source");
        result.addSink("left", "left-topic", "route");
        result.addSink("right", "right-topic", "route");
        return result;
    }

    static class Route extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            if (record.value().equals("all")) {
                context().forward(record);
            } else {
                context().forward(record, record.value());
            }
        }
    }
}
