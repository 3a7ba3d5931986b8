import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;

/** A transformer makes the value of each row, of deleted ones too. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>table("in").transformValues(Length::new).toStream().to("out");
    }

    static class Length implements ValueTransformerWithKey<String, String, String> {
        @Override
        public void init(ProcessorContext context) {}

        @Override
        public String transform(String key, String value) {
            return "skip".equals(value) ? null : key + ":" + (value == null ? -1 : value.length());
        }

        @Override
        public void close() {}
    }
}
