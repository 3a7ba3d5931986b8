import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** A view of a versioned table is versioned, one with a store of its own is not. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> rows = builder.table("left", Materialized.as(Stores.persistentVersionedKeyValueStore("lefts", Duration.ofMinutes(1))));
        KTable<String, String> right = builder.table("right");
        KTable<String, String> view = rows.mapValues(value -> value + "!").filter((key, value) -> !value.equals("skip!"));
        KTable<String, String> kept = rows.mapValues(value -> value + "?", Materialized.as("kept"));
        view.outerJoin(right, Program::joined).toStream().to("view");
        kept.outerJoin(right, Program::joined).toStream().to("kept");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
