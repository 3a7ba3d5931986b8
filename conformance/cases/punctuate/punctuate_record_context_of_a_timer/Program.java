import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.TopicNameExtractor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** What a timer forwards has the place of no topic: null, -1, -1 and its own timestamp. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        TopicNameExtractor<String, String> where = (key, value, context) -> {
            String topic = context.topic() == null ? "none" : context.topic();
            return topic + "_" + context.partition() + "_" + context.offset() + "_" + context.timestamp();
        };
        builder.<String, String>stream("in").process(() -> new Tick(log)).to(where);
        return builder.build();
    }

    static class Tick extends ContextualProcessor<String, String, String, String> {
        final Log log;

        Tick(Log log) {
            this.log = log;
        }

        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            context.schedule(Duration.ofMillis(10), PunctuationType.STREAM_TIME, this::tick);
        }

        void tick(long timestamp) {
            context().forward(new Record<>("tick", "t", 3));
        }

        public void process(Record<String, String> record) {
            context().forward(record);
        }
    }
}
