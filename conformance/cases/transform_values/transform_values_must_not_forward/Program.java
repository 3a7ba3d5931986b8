import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;

/** A transformer must not forward. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>table("in").transformValues(() -> new ValueTransformerWithKey<String, String, String>() {
            private ProcessorContext context;

            public void init(ProcessorContext context) {
                this.context = context;
            }

            public String transform(String key, String value) {
                context.forward(key, value);
                return value;
            }

            public void close() {}
        }).toStream().to("out");
    }
}
