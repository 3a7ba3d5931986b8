import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;

/**
 * A left join by what the selector makes of the record: null keys of the stream do not matter, null join keys do.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        GlobalKTable<String, String> right = builder.<String, String>globalTable("right");
        left.leftJoin(right, (key, value) -> value == null || value.equals("nokey") ? null : value, (l, r) -> l + "-" + r).to("out");
    }
}
