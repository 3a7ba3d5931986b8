import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** The topic holds the new value with its length before the old one; lengths take one byte or more. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.groupBy((key, value) -> KeyValue.pair("g", value))
            .aggregate(() -> 0L, (key, value, total) -> total + value.length(), (key, value, total) -> total - value.length(), Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("lengths").withValueSerde(Serdes.Long()))
            .toStream().to("out");
    }
}
