import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** Grouping takes a number, an aggregation four: its store, the sink, the source, itself. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        KGroupedTable<String, String> groups = table.groupBy((key, value) -> KeyValue.pair(value, key));
        groups.count().toStream().to("counts");
        groups.reduce((total, value) -> value, (total, value) -> total).toStream().to("reduced");
        groups.aggregate(() -> "", (key, value, total) -> value, (key, value, total) -> total).toStream().to("aggregated");
        groups.count(Materialized.with(Serdes.String(), Serdes.Long())).toStream().to("counted-again");
    }
}
