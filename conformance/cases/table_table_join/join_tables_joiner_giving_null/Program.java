import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** A joiner that gives None deletes the row of the result. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        left.join(right, Program::same, Materialized.as("joined")).filter((key, value) -> true).toStream().to("out");
        left.outerJoin(right, Program::same).toStream().to("outer");
    }

    static String same(String left, String right) {
        return left != null && left.equals(right) ? left : null;
    }
}
