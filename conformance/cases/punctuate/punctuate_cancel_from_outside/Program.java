import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** A cancelled timer does not fire any more, also if it was due with that very record. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(() -> new Tick(log)).to("out");
        return builder.build();
    }

    static class Tick extends ContextualProcessor<String, String, String, String> {
        final Log log;
        Cancellable streamTimer;
        Cancellable wallTimer;

        Tick(Log log) {
            this.log = log;
        }

        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            streamTimer = context.schedule(Duration.ofMillis(10), PunctuationType.STREAM_TIME, this::tick);
            wallTimer = context.schedule(Duration.ofMillis(10), PunctuationType.WALL_CLOCK_TIME, this::tick);
        }

        void tick(long timestamp) {
            log.add("" + timestamp);
        }

        public void process(Record<String, String> record) {
            if (record.value().equals("cancel")) {
                streamTimer.cancel();
                wallTimer.cancel();
            }
        }
    }
}
