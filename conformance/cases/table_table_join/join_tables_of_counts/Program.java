import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** Aggregates are joined as tables; their first old value is the initializer's. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, Long> lefts = builder.<String, String>stream("left").groupByKey().count();
        KTable<String, Long> rights = builder.<String, String>stream("right").groupByKey().count(Materialized.as("rights"));
        lefts.leftJoin(rights, Program::joined).filter((key, value) -> !value.equals("2-1")).toStream().to("out");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
