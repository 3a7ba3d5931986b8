import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/** A processor may have several parents; records come as they arrive. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("one", "first");
        result.addSource("two", "second", "third");
        result.addProcessor("both", Where::new, "one", "two");
        result.addSink("sink", "out", "both");
        return result;
    }

    static class Where extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            RecordMetadata metadata = context().recordMetadata().get();
            context().forward(record.withValue(record.value() + " " + metadata.topic()));
        }
    }
}
