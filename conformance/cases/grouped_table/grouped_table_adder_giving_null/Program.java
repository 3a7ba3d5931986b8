import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** An adder that gives None deletes the row; the next one begins anew. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.groupBy((key, value) -> KeyValue.pair(value.substring(0, 1), value.substring(1)))
            .aggregate(() -> "0", (key, value, total) -> value.equals("4") ? null : total + "+" + value, (key, value, total) -> total + "-" + value, Materialized.as("totals"))
            .toStream().to("out");
    }
}
