import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** The outer join of a versioned table with one that is not. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left", Materialized.as(Stores.persistentVersionedKeyValueStore("lefts", Duration.ofMinutes(1))));
        KTable<String, String> right = builder.table("right");
        left.outerJoin(right, Program::joined).toStream().to("out");
    }

    static String joined(String left, String right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
