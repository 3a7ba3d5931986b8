import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/** Joined names the node of a left join and the topic before it. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.<String, String>stream("left").selectKey((key, value) -> key.substring(0, 1));
        KTable<String, String> right = builder.table("right");
        left.leftJoin(right, (l, r) -> l + "-" + r, Joined.as("enriched")).to("out");
    }
}
