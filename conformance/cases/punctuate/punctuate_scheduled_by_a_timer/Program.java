import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** A timer may schedule another; in stream time that one is due at once, in the same check. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(() -> new Tick(log)).to("out");
        return builder.build();
    }

    static class Tick extends ContextualProcessor<String, String, String, String> {
        final Log log;
        boolean started = false;

        Tick(Log log) {
            this.log = log;
        }

        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            context.schedule(Duration.ofMillis(10), PunctuationType.STREAM_TIME, this::first);
        }

        void first(long time) {
            log.add("first " + time);
            if (!started) {
                started = true;
                context().schedule(Duration.ofMillis(4), PunctuationType.STREAM_TIME, this::second);
            }
        }

        void second(long time) {
            log.add("second " + time);
        }

        public void process(Record<String, String> record) {
        }
    }
}
