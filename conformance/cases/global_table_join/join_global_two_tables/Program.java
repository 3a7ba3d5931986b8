import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;

/** Two global tables and two streams: the numbers, and which sub-topologies there are. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        GlobalKTable<String, String> first = builder.globalTable("first");
        KStream<String, String> one = builder.stream("one");
        GlobalKTable<String, String> second = builder.globalTable("second", Consumed.as("last"));
        KStream<String, String> two = builder.stream("two");
        one.join(first, (key, value) -> key, (l, r) -> l + "-" + r).join(second, (key, value) -> value, (l, r) -> l + "-" + r).to("out");
        two.leftJoin(second, (key, value) -> value, (l, r) -> l + "-" + r).to("out2");
    }
}
