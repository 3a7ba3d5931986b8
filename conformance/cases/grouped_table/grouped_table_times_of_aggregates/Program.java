import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** An aggregate has the later of its own time and the record's, if it was there before. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        KGroupedTable<String, String> groups = table.groupBy((key, value) -> KeyValue.pair(value.substring(0, 1), value));
        groups.count(Materialized.as("counts")).toStream().to("counts");
        groups.reduce((total, value) -> total + value, (total, value) -> null, Materialized.as("sums")).toStream().to("sums");
    }
}
