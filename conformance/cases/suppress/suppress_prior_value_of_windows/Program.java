import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;

/** A join with a suppressed windowed table looks up what was let out. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<Windowed<String>, Long> counts = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey().windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMillis(2), Duration.ofMillis(1))).count(Materialized.as("counts"));


        KTable<Windowed<String>, Long> last = counts.suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded()));
        KStream<Windowed<String>, String> joined = counts.leftJoin(last, (now, before) -> now + "-" + (before == null ? "None" : before), Materialized.with(null, Serdes.String())).toStream();
        joined.map((window, count) -> KeyValue.pair("[" + window.key() + "@" + window.window().start() + "/" + window.window().end() + "]", count)).to("out", Produced.with(Serdes.String(), Serdes.String()));
    }
}
