import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** What a timer forwards may fail further down; the dead letter then has no input record. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(Tick::new).mapValues(Program::failOnBad).to("out");
        return builder.build();
    }

    static String failOnBad(String value) {
        if ("bad".equals(value)) {
            throw new IllegalArgumentException("this is bad");
        }
        return value + "!";
    }

    static class Tick extends ContextualProcessor<String, String, String, String> {
        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            context.schedule(Duration.ofMillis(10), PunctuationType.WALL_CLOCK_TIME, this::tick);
        }

        void tick(long timestamp) {
            context().forward(new Record<>("k", "good", 1));
            context().forward(new Record<>("k", "bad", 2));
            context().forward(new Record<>("k", "better", 3));
        }

        public void process(Record<String, String> record) {
        }
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
        config.put("errors.dead.letter.queue.topic.name", "dead");
    }
}
