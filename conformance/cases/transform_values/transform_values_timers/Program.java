import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;
import org.apache.kafka.streams.processor.PunctuationType;

/** A transformer may schedule timers; they cannot forward. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>table("in").transformValues(() -> new ValueTransformerWithKey<String, String, String>() {
            public void init(ProcessorContext context) {
                context.schedule(Duration.ofMillis(5), PunctuationType.STREAM_TIME, now -> log.add("tick " + now));
                context.schedule(Duration.ofMillis(10), PunctuationType.WALL_CLOCK_TIME, now -> log.add("tock " + now));
            }

            public String transform(String key, String value) {
                return value;
            }

            public void close() {}
        }).toStream().to("out");
    }
}
