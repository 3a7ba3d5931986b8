import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** A timer can read stream time, -1 before the first record, and system time. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(() -> new Tick(log)).to("out");
        return builder.build();
    }

    static class Tick extends ContextualProcessor<String, String, String, String> {
        final Log log;

        Tick(Log log) {
            this.log = log;
        }

        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            context.schedule(Duration.ofMillis(10), PunctuationType.STREAM_TIME, time -> tell("stream"));
            context.schedule(Duration.ofMillis(10), PunctuationType.WALL_CLOCK_TIME, time -> tell("wall"));
        }

        void tell(String name) {
            String times = context().currentStreamTimeMs() + " " + context().currentSystemTimeMs();
            log.add(name + " " + times);
        }

        public void process(Record<String, String> record) {
            tell("process");
        }
    }
}
