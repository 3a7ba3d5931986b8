import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A timer scheduled while a record is processed fires right after it in stream time. */
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

        public void process(Record<String, String> record) {
            String name = record.value();
            context().schedule(Duration.ofMillis(10), PunctuationType.STREAM_TIME,
                time -> log.add(name + " stream " + time));
            context().schedule(Duration.ofMillis(10), PunctuationType.WALL_CLOCK_TIME,
                time -> log.add(name + " wall " + time));
        }
    }
}
