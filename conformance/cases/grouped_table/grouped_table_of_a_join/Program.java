import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** A join whose results are grouped sends its old values. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        KTable<String, String> both = left.leftJoin(right, (one, other) -> one + (other == null ? "None" : other));
        both.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("out");
    }
}
