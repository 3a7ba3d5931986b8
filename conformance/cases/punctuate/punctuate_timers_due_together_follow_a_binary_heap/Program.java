import java.time.Duration;
import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.Punctuator;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** Timers that were due at the same time fire in the order of a binary heap. */
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
            for (int interval : List.of(7, 3, 5, 10)) {
                context.schedule(Duration.ofMillis(interval), PunctuationType.STREAM_TIME, tick(interval));
            }
        }

        Punctuator tick(int interval) {
            return time -> log.add("every " + interval + " at " + time);
        }

        public void process(Record<String, String> record) {
        }
    }
}
