import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Named;

/** Two aggregations must not have one name. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        KGroupedTable<String, String> groups = table.groupBy((key, value) -> KeyValue.pair(value, key));
        groups.count(Named.as("counting"));
        groups.count(Named.as("counting"));
    }
}
