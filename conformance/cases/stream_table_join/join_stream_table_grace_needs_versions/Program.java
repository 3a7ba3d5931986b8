import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** A grace needs a versioned table: the program is refused. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KTable<String, String> right = builder.table("right", Materialized.as("rows"));
        left.join(right, (l, r) -> l + "-" + r, Joined.<String, String, String>with(null, null, null).withGracePeriod(Duration.ofMillis(5L))).to("out");
    }
}
