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

/** The grace is that of the windows above, through views. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<Windowed<String>, Long> counts = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey().windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMillis(2), Duration.ofMillis(1))).count(Materialized.as("counts"));
        Produced<String, Long> written = Produced.with(Serdes.String(), Serdes.Long());
        counts.filter((key, value) -> value != 2).mapValues(value -> value * 10, Materialized.with(null, Serdes.Long())).suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded())).toStream().map((window, count) -> KeyValue.pair("[" + window.key() + "@" + window.window().start() + "/" + window.window().end() + "]", count)).to("out", written);
    }
}
