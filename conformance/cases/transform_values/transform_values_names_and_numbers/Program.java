import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;

/** A Materialized without a name uses up no number here. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.transformValues(Length::new).toStream().to("one");
        table.transformValues(Length::new, Materialized.<String, String, KeyValueStore<Bytes, byte[]>>with(Serdes.String(), Serdes.String())).toStream().to("two");
        table.transformValues(Length::new, Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("kept")).toStream().to("three");
        table.transformValues(Length::new, Named.as("lengths")).toStream().to("four");
        table.transformValues(Length::new, Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("more"), Named.as("longer")).toStream().to("five");
        table.filter((key, value) -> true, Materialized.with(Serdes.String(), Serdes.String())).toStream().to("six");
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
