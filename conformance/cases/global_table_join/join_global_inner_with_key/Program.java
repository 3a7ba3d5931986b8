import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.ValueJoinerWithKey;

/** The joiner of a inner join with a global table may look at the stream's key, not at the join key. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        GlobalKTable<String, String> right = builder.globalTable("right");
        ValueJoinerWithKey<String, String, String, String> joiner = (key, l, r) ->
            ((key == null ? "None" : key) + ":" + l + "+" + (r == null ? "None" : r)).toLowerCase();
        left.join(right, (key, value) -> value == null || value.equals("nokey") ? null : value, joiner).to("out");
    }
}
