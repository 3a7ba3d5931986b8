import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** A timer may forward records; they have the time they are given and no headers. */
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
            context.schedule(Duration.ofMillis(10), PunctuationType.STREAM_TIME, time -> tick("s", time));
            context.schedule(Duration.ofMillis(10), PunctuationType.WALL_CLOCK_TIME, time -> tick("w", time));
        }

        void tick(String key, long timestamp) {
            context().forward(new Record<>(key, String.valueOf(timestamp), timestamp));
            context().forward(new Record<>(key, "", 0));
        }

        public void process(Record<String, String> record) {
            context().forward(record);
        }
    }
}
