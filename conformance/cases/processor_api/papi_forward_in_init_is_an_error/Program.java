import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** A processor cannot forward while it is initialised: its children are not ready. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(Eager::new).peek((key, value) -> log.add(value)).to("out");
        return builder.build();
    }

    static class Eager extends ContextualProcessor<String, String, String, String> {
        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            context.forward(new Record<>("k", "too early", 0));
        }

        public void process(Record<String, String> record) {
        }
    }
}
