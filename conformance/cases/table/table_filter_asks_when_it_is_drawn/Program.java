import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/**
 * A filter has old values if the table above has a store when the filter is drawn, or asks later for another
 * verb.
 */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        KTable<String, String> early = table.filter((key, value) -> !value.equals("x"));
        early.toStream().to("early");
        early.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("counts");
        table.filter((key, value) -> !value.equals("x")).toStream().to("late");
    }
}
