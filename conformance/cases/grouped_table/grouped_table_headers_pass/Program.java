import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** Both halves of a move have the headers of the record. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("out");
    }
}
