import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Where the rows live makes no difference to a join. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left", Materialized.as(Stores.inMemoryKeyValueStore("lefts")));
        KTable<String, String> right = builder.table("right", Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("rights").withLoggingDisabled());
        left.outerJoin(right, Program::joined, Materialized.<String, String>as(Stores.inMemoryKeyValueStore("joined")).withLoggingDisabled()).toStream().to("out");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
