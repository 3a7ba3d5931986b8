import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/**
 * A rekeyed stream goes through a topic before a left join with a table; records without a key only where the join
 * takes them.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.<String, String>stream("left").selectKey((key, value) -> key == null ? null : key.substring(0, 1));
        KTable<String, String> right = builder.table("right");
        left.leftJoin(right, (l, r) -> l + "-" + r).to("out");
    }
}
