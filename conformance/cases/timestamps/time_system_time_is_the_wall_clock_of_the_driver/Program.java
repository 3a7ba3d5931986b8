import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** System time moves only when the wall clock is advanced, and does not care about records. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(() -> new Clock(log)).to("out");
        return builder.build();
    }

    static class Clock extends ContextualProcessor<String, String, String, String> {
        final Log log;

        Clock(Log log) {
            this.log = log;
        }

        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            log.add("init " + context.currentSystemTimeMs());
        }

        public void process(Record<String, String> record) {
            context().forward(record.withValue(String.valueOf(context().currentSystemTimeMs())));
        }
    }
}
