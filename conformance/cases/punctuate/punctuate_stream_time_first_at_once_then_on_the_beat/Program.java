import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** The first tick comes with the first record, missed ticks are skipped, the beat is kept. */
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
            context.schedule(Duration.ofMillis(10), PunctuationType.STREAM_TIME, time -> log.add("" + time));
        }

        public void process(Record<String, String> record) {
        }
    }
}
