import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/** One stream joined with two tables, one table with two streams; the numbers. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> one = builder.stream("one");
        KStream<String, String> two = builder.stream("two");
        KTable<String, String> first = builder.table("first");
        KTable<String, String> second = builder.table("second");
        one.join(first, (l, r) -> l + "-" + r).leftJoin(second, (l, r) -> l + "-" + r).to("out");
        two.leftJoin(first, (l, r) -> l + "-" + r).mapValues(value -> value.toUpperCase()).join(second, (l, r) -> l + "-" + r, Joined.as("last")).to("out2");
    }
}
