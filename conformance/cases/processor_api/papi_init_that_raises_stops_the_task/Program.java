import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** An exception in init stops the task before the first record. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(Fail::new).to("out");
        return builder.build();
    }

    static class Fail extends ContextualProcessor<String, String, String, String> {
        public void init(ProcessorContext<String, String> context) {
            throw new IllegalStateException("not ready");
        }

        public void process(Record<String, String> record) {
            context().forward(record);
        }
    }
}
