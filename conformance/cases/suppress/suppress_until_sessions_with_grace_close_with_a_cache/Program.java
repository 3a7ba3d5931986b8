import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.Windowed;

/** Each window gives one result, when it takes no more records. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<Windowed<String>, Long> counts = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey().windowedBy(SessionWindows.ofInactivityGapAndGrace(Duration.ofMillis(5), Duration.ofMillis(2))).count(Materialized.as("counts"));
        Produced<String, Long> written = Produced.with(Serdes.String(), Serdes.Long());
        counts.suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded())).toStream().map((window, count) -> KeyValue.pair("[" + window.key() + "@" + window.window().start() + "/" + window.window().end() + "]", count)).to("out", written);
        counts.toStream().map((window, count) -> KeyValue.pair("[" + window.key() + "@" + window.window().start() + "/" + window.window().end() + "]", count)).to("raw", written);
    }

    @Override
    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }
}
