import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.ValueJoinerWithKey;

/** The joiner of a left join with a table may look at the key. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KTable<String, String> right = builder.table("right");
        ValueJoinerWithKey<String, String, String, String> joiner = (key, l, r) ->
            ((key == null ? "None" : key) + ":" + l + "+" + (r == null ? "None" : r)).toLowerCase();
        left.leftJoin(right, joiner).to("out");
    }
}
