import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** Stream time is the highest timestamp the task has taken up, -1 before the first record. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(List.of("left", "right")).process(() -> new Clock(log)).to("out");
        return builder.build();
    }

    static class Clock extends ContextualProcessor<String, String, String, String> {
        final Log log;

        Clock(Log log) {
            this.log = log;
        }

        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            log.add("init " + context.currentStreamTimeMs());
        }

        public void process(Record<String, String> record) {
            context().forward(record.withValue(String.valueOf(context().currentStreamTimeMs())));
        }
    }
}
