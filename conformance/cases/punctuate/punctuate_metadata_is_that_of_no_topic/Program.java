import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/** In init and in a timer there is record metadata, but without topic, partition and offset. */
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
            tell("init");
            context.schedule(Duration.ofMillis(10), PunctuationType.STREAM_TIME, time -> tell("stream"));
            context.schedule(Duration.ofMillis(10), PunctuationType.WALL_CLOCK_TIME, time -> tell("wall"));
        }

        void tell(String name) {
            RecordMetadata metadata = context().recordMetadata().orElse(null);
            if (metadata == null) {
                log.add(name + ": no metadata");
            } else {
                String topic = metadata.topic() == null ? "no topic" : metadata.topic();
                log.add(name + ": " + topic + " " + metadata.partition() + " " + metadata.offset());
            }
        }

        public void process(Record<String, String> record) {
            tell("process");
        }
    }
}
