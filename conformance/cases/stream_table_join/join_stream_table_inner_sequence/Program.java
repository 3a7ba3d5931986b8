import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/** All 23 steps of a stream and a table, inner: only the stream triggers, the table is as it is now. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KTable<String, String> right = builder.<String, String>table("right");
        left.join(right, (l, r) -> l + "-" + r).to("out");
    }
}
