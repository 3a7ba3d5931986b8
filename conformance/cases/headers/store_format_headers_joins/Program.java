import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.state.KeyValueStore;

public class Program extends DslCase {
    @Override
    public void configure(final Properties config) {
        config.put("dsl.store.format", "HEADERS");
    }

    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        final KStream<String, String> left = builder.stream("left");
        final KStream<String, String> right = builder.stream("right");
        left.leftJoin(right, (one, other) -> name(one) + "+" + name(other),
            JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10)),
            StreamJoined.<String, String, String>as("both")).to("streams");
        final KTable<String, String> ours = builder.table("ours", as("ours"));
        final KTable<String, String> theirs = builder.table("theirs", as("theirs"));
        ours.outerJoin(theirs, (one, other) -> name(one) + "|" + name(other), as("joined")).toStream().to("tables");
        left.join(ours, (one, other) -> one + "/" + other).to("looked-up");
        ours.leftJoin(theirs, value -> value, (one, other) -> one + ">" + name(other), as("foreign"))
            .toStream().to("foreign-out");
    }

    private static String name(final String value) {
        return value == null ? "None" : value;
    }

    private static Materialized<String, String, KeyValueStore<Bytes, byte[]>> as(final String name) {
        return Materialized.as(name);
    }
}
