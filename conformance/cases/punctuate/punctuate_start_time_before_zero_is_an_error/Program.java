import java.time.Duration;
import java.time.Instant;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A start time must not be negative; process that asks for one fails. */
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
            Instant startTime = Instant.ofEpochMilli(Long.parseLong(record.value()));
            context().schedule(
                startTime,
                Duration.ofMillis(10),
                PunctuationType.STREAM_TIME,
                time -> log.add("" + time)
            );
        }
    }
}
