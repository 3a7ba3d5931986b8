import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;

/** All aggregations of a grouping with a name share its topic; the numbers of the others are used up. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        KGroupedTable<String, String> groups = table.groupBy((key, value) -> KeyValue.pair(value, key), Grouped.as("by-value"));
        groups.count(Materialized.as("counts")).toStream().to("counts");
        groups.reduce((total, value) -> value, (total, value) -> total).toStream().to("reduced");
        groups.count(Named.as("again")).toStream().to("again");
    }
}
