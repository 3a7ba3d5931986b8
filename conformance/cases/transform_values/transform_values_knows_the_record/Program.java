import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;

/** A transformer knows time, headers and place of the record. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>table("in").transformValues(() -> new Placed(log)).toStream().to("out");
    }

    static class Placed implements ValueTransformerWithKey<String, String, String> {
        private final Log log;
        private ProcessorContext context;

        Placed(Log log) {
            this.log = log;
        }

        @Override
        public void init(ProcessorContext context) {
            this.context = context;
            log.add("init " + context.taskId() + " " + context.applicationId());
        }

        @Override
        public String transform(String key, String value) {
            List<String> names = new ArrayList<>();
            context.headers().forEach(header -> names.add("'" + header.key() + "'"));
            String topic = context.topic() == null ? "None" : context.topic();
            String place = topic + " " + context.partition() + " " + context.offset() + " " + context.timestamp();
            log.add(key + " " + (value == null ? "None" : value) + " " + place + " " + context.currentStreamTimeMs() + " " + names);
            return value == null ? null : value + "!";
        }

        @Override
        public void close() {
            log.add("close");
        }
    }
}
