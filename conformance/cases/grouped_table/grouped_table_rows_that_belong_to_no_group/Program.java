import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.KTable;

/** A mapper that gives no key, no value, or nothing at all leaves that side of the change out, silently. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        KGroupedTable<String, String> groups = table.groupBy((key, value) -> switch (value) {
            case "key" -> KeyValue.pair((String) null, "x");
            case "value" -> KeyValue.pair("g", (String) null);
            case "both" -> null;
            default -> KeyValue.pair("g", value);
        });
        groups.count().toStream().to("out");
    }
}
