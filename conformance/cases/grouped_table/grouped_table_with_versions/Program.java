import java.time.Duration;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** The aggregates of a grouped table may be kept in a versioned store. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        KGroupedTable<String, String> groups = table.groupBy((key, value) -> KeyValue.pair(value, key));
        groups.count(Materialized.as(Stores.persistentVersionedKeyValueStore("counts", Duration.ofMinutes(1)))).filter((value, count) -> count != 2).toStream().to("out");
        groups.reduce((total, value) -> total + value, (total, value) -> total.replaceFirst(value, ""), Materialized.as(Stores.persistentVersionedKeyValueStore("sums", Duration.ofMinutes(1)))).toStream().to("sums");
    }
}
