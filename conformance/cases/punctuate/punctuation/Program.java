import java.time.Duration;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

public class Program implements Case {
    @Override
    public Topology topology(final Log log) {
        return new Topology()
            .addSource("source", "in")
            .addProcessor("ticker", () -> new Ticker(log), "source")
            .addSink("sink", "out", "ticker");
    }

    private static final class Ticker extends ContextualProcessor<String, String, String, String> {
        private final Log log;
        private Cancellable wallClock;

        Ticker(final Log log) {
            this.log = log;
        }

        @Override
        public void init(final ProcessorContext<String, String> context) {
            super.init(context);
            log.add("init");
            context.schedule(Duration.ofMillis(10), PunctuationType.STREAM_TIME, time -> {
                log.add("stream " + time);
                context.forward(new Record<>("stream", Long.toString(time), time));
            });
            wallClock = context.schedule(Duration.ofMillis(100), PunctuationType.WALL_CLOCK_TIME, time -> {
                log.add("wall " + time);
                context.forward(new Record<>("wall", Long.toString(time), time));
            });
        }

        @Override
        public void process(final Record<String, String> record) {
            if ("cancel".equals(record.value())) {
                wallClock.cancel();
            }
            context().forward(record);
        }

        @Override
        public void close() {
            log.add("close");
        }
    }
}
