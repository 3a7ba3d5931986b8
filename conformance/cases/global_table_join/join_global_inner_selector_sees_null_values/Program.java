import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;

/** The selector of a inner join is asked even about a record without a value, which is dropped then. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        GlobalKTable<String, String> right = builder.<String, String>globalTable("right");
        left.join(right, (key, value) -> value == null ? "none" : value, (l, r) -> l + "-" + r).to("out");
    }
}
