import java.time.Duration;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** A transformed versioned table is versioned, with a store that is not it is not. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Materialized.as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMinutes(1))));
        KTable<String, String> view = table.transformValues(Length::new);
        view.toStream().to("out");
        view.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("counts");
        KTable<String, String> kept = table.transformValues(Length::new, Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("kept"));
        kept.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("kept-counts");
        KTable<String, String> versions = table.transformValues(Length::new, Materialized.<String, String>as(Stores.persistentVersionedKeyValueStore("versions", Duration.ofMinutes(1))));
        versions.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("version-counts");
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
