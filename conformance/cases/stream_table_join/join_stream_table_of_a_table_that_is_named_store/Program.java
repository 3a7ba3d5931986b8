import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** A left join with a table that is named store. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KTable<String, String> right = builder.<String, String>table("right", Materialized.as("rows"));
        left.leftJoin(right, (l, r) -> l + "-" + r).to("out");
    }
}
