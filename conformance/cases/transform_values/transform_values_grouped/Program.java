import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;

/** A grouping below gives the table above a store; old values are made anew. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.<String, String>table("in").transformValues(() -> new Telling(log));
        table.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("out");
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
