import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;

/** With a store, rows are kept as they were made; None deletes one. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.<String, String>table("in").transformValues(Length::new, Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("lengths"));
        table.toStream().to("out");
        table.filter((key, value) -> !value.endsWith("1")).toStream().to("below");
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
