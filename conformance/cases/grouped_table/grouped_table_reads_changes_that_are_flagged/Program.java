import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KTable;

/** The topic may hold changes that say whether they are the latest; it makes no difference. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.groupBy((key, value) -> KeyValue.pair("g", value), Grouped.as("moves"))
            .reduce((total, value) -> total + "+" + value, (total, value) -> total + "-" + value).toStream().to("out");
    }
}
