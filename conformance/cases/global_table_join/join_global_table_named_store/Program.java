import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/** A global table: named store. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        GlobalKTable<String, String> right = builder.<String, String>globalTable("right", Materialized.as("rows"));
        left.leftJoin(right, (key, value) -> key, (l, r) -> l + "-" + r).to("out");
    }
}
