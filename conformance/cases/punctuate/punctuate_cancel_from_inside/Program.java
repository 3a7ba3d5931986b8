import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** A timer may cancel itself from its own callback. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(() -> new Tick(log)).to("out");
        return builder.build();
    }

    static class Tick extends ContextualProcessor<String, String, String, String> {
        final Log log;
        int count = 0;
        Cancellable timer;

        Tick(Log log) {
            this.log = log;
        }

        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            timer = context.schedule(Duration.ofMillis(10), PunctuationType.STREAM_TIME, this::tick);
        }

        void tick(long timestamp) {
            count += 1;
            log.add(count + " at " + timestamp);
            if (count == 2) {
                timer.cancel();
            }
        }

        public void process(Record<String, String> record) {
        }
    }
}
