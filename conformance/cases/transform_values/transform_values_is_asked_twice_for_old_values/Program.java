import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;

/** Without a store, the old value is made a second time. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.<String, String>table("in", Materialized.as("rows")).transformValues(() -> new Telling(log));
        table.filter((key, value) -> !value.equals("x!")).toStream().to("out");
    }

    static class Telling implements ValueTransformerWithKey<String, String, String> {
        private final Log log;

        Telling(Log log) {
            this.log = log;
        }

        @Override
        public void init(ProcessorContext context) {}

        @Override
        public String transform(String key, String value) {
            log.add(key + " " + (value == null ? "None" : value));
            return value == null ? null : value + "!";
        }

        @Override
        public void close() {}
    }
}
