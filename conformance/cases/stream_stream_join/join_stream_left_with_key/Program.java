import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.ValueJoinerWithKey;

/** The joiner of a left join may look at the key, which may be null where records without a key are joined. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KStream<String, String> right = builder.stream("right");
        JoinWindows windows = JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10L));
        ValueJoinerWithKey<String, String, String, String> joiner = (key, l, r) ->
            ((key == null ? "None" : key) + ":" + (l == null ? "None" : l) + "+" + (r == null ? "None" : r)).toLowerCase();
        left.leftJoin(right, joiner, windows).to("out");
    }
}
