import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/** A stream and a table cannot read the same topic. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("in");
        KTable<String, String> right = builder.table("in");
        left.join(right, (l, r) -> l + "-" + r).to("out");
    }
}
