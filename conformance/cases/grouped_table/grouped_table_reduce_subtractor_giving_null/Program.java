import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/**
 * A subtractor that gives None empties the group: what is added then begins anew, and if nothing is, the row is
 * deleted.
 */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.groupBy((key, value) -> KeyValue.pair(value.substring(0, 1), value.substring(1)))
            .reduce((total, value) -> total + "+" + value, (total, value) -> value.equals("4") ? null : total + "-" + value, Materialized.as("totals"))
            .toStream().to("out");
    }
}
