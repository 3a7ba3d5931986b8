import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;

/** A named aggregation names its sink and its source too, the topic is named by the store. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        KGroupedTable<String, String> groups = table.groupBy((key, value) -> KeyValue.pair(value, key));
        groups.count(Named.as("counting")).toStream().to("counts");
        groups.reduce((total, value) -> value, (total, value) -> total, Named.as("reducing"), Materialized.as("kept")).toStream().to("reduced");
        groups.aggregate(() -> "", (key, value, total) -> value, (key, value, total) -> total, Named.as("folding"), Materialized.as("folded")).toStream().to("aggregated");
    }
}
