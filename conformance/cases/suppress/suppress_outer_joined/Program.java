import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** A join looks up what was let out of the buffer last, as long as a row is held back. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> held = builder.<String, String>table("in").suppress(Suppressed.untilTimeLimit(Duration.ofMillis(3), BufferConfig.unbounded()));
        KTable<String, String> right = builder.table("right");
        held.outerJoin(right, Program::joined).toStream().to("out");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
