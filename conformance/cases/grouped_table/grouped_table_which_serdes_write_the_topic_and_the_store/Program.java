import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** The topic is written with the serdes of Grouped, the store with those of Materialized, or Grouped's. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, Long> table = builder.table("in", Consumed.with(Serdes.String(), Serdes.Long()));
        KGroupedTable<Long, Long> groups = table.groupBy((key, value) -> KeyValue.pair(value % 2, value), Grouped.with(Serdes.Long(), Serdes.Long()));
        groups.count().toStream().to("counts");
        groups.reduce((total, value) -> total + value, (total, value) -> total - value).toStream().to("sums");
        groups.aggregate(() -> "", (key, value, total) -> total + "+" + value, (key, value, total) -> total + "-" + value, Materialized.<Long, String, KeyValueStore<Bytes, byte[]>>as("texts").withValueSerde(Serdes.String())).toStream().to("texts");
        groups.count(Materialized.<Long, Long, KeyValueStore<Bytes, byte[]>>as("again").withKeySerde(Serdes.Long()).withValueSerde(Serdes.Long())).toStream().to("again");
    }
}
