import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;

/** Below a join of windowed tables the longer grace counts. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        Produced<String, String> written = Produced.with(Serdes.String(), Serdes.String());
        KTable<Windowed<String>, Long> one = builder.stream("left", Consumed.with(Serdes.String(), Serdes.String())).groupByKey().windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(2))).count();
        KTable<Windowed<String>, Long> two = builder.stream("right", Consumed.with(Serdes.String(), Serdes.String())).groupByKey().windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMillis(2), Duration.ofMillis(4))).count();
        KTable<Windowed<String>, String> both = one.outerJoin(two, Program::joined, Materialized.with(null, Serdes.String()));
        both.suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded())).toStream().map((window, count) -> KeyValue.pair("[" + window.key() + "@" + window.window().start() + "/" + window.window().end() + "]", count)).to("out", written);
        both.toStream().map((window, count) -> KeyValue.pair("[" + window.key() + "@" + window.window().start() + "/" + window.window().end() + "]", count)).to("raw", written);
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
