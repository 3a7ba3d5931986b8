import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/** A left join with a table that is filtered. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KTable<String, String> right = builder.<String, String>table("right").filter((key, value) -> !value.equals("b"));
        left.leftJoin(right, (l, r) -> l + "-" + r).to("out");
    }
}
