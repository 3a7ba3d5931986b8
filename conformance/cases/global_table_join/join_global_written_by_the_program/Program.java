import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;

/** What the program writes to the topic of a global table is in it before the next record. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        GlobalKTable<String, String> right = builder.globalTable("right");
        KStream<String, String> left = builder.stream("left");
        left.leftJoin(right, (key, value) -> key, (l, r) -> l + "-" + r).to("out");
        left.mapValues(value -> value.toLowerCase()).to("right");
    }
}
