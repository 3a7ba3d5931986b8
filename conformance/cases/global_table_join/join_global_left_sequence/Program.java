import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;

/** All 23 steps of a stream and a global table, left. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        GlobalKTable<String, String> right = builder.<String, String>globalTable("right");
        left.leftJoin(right, (key, value) -> key, (l, r) -> l + "-" + r).to("out");
    }
}
