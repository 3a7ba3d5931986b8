import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A start time that has passed counts only for the beat: the first tick is the next one on it. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(() -> new Tick(log)).to("out");
        return builder.build();
    }

    static class Tick extends ContextualProcessor<String, String, String, String> {
        final Log log;
        boolean scheduled = false;

        Tick(Log log) {
            this.log = log;
        }

        public void process(Record<String, String> record) {
            if (!scheduled) {
                scheduled = true;
                for (PunctuationType type : List.of(PunctuationType.STREAM_TIME, PunctuationType.WALL_CLOCK_TIME)) {
                    context().schedule(Instant.ofEpochMilli(3), Duration.ofMillis(10), type, this::tick);
                }
            }
        }

        void tick(long timestamp) {
            log.add("" + timestamp);
        }
    }
}
