import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** The result has this table's key serde and the value serde it is given. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        Consumed<Integer, Long> numbers = Consumed.with(Serdes.Integer(), Serdes.Long());
        KTable<Integer, Long> left = builder.table("left", numbers);
        KTable<Integer, Long> right = builder.table("right", numbers);
        KTable<Integer, Long> total = left.outerJoin(right, Program::total, Materialized.<Integer, Long, KeyValueStore<Bytes, byte[]>>as("totals").withValueSerde(Serdes.Long()));
        total.filter((key, value) -> value != 5).toStream().to("out");
    }

    static Long total(Long left, Long right) {
        return (left == null ? 0 : left) + (right == null ? 0 : right);
    }
}
