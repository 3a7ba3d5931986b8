import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** A row that changes its group is taken out of the old one before it comes to the new one. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("out");
    }
}
