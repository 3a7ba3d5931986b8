import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.WindowStore;

public class Program extends DslCase {
    private static final Duration TEN = Duration.ofMillis(10);

    @Override
    public void configure(final Properties config) {
        config.put("dsl.store.format", "HEADERS");
        config.put("statestore.cache.max.bytes", "10000");
    }

    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        final KGroupedStream<String, String> grouped = builder.<String, String>stream("in").groupByKey();
        final TimeWindows tumbling = TimeWindows.ofSizeWithNoGrace(TEN);
        final SlidingWindows sliding = SlidingWindows.ofTimeDifferenceWithNoGrace(TEN);
        final SessionWindows sessions = SessionWindows.ofInactivityGapWithNoGrace(TEN);
        final EmitStrategy closing = EmitStrategy.onWindowClose();
        show(grouped.windowedBy(tumbling).reduce((one, other) -> one + other, windows("tumbling")), "tumbling");
        show(grouped.windowedBy(sliding).reduce((one, other) -> one + other, windows("sliding")), "sliding");
        show(grouped.windowedBy(sessions).reduce((one, other) -> one + other, sessions("sessions")), "sessions");
        show(grouped.windowedBy(tumbling).emitStrategy(closing)
            .reduce((one, other) -> one + other, windows("closed")), "closed");
        show(grouped.windowedBy(sliding).emitStrategy(closing)
            .reduce((one, other) -> one + other, windows("closed-sliding")), "closed-sliding");
        show(grouped.windowedBy(sessions).emitStrategy(closing)
            .reduce((one, other) -> one + other, sessions("closed-sessions")), "closed-sessions");
        builder.table("rows", Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("rows"))
            .toStream().to("changes");
    }

    private static void show(final KTable<Windowed<String>, String> table, final String name) {
        table.toStream()
            .map((key, value) -> KeyValue.pair(
                key.key() + "@" + key.window().start() + "-" + key.window().end(), value))
            .to(name);
    }

    private static Materialized<String, String, WindowStore<Bytes, byte[]>> windows(final String name) {
        return Materialized.as(name);
    }

    private static Materialized<String, String, SessionStore<Bytes, byte[]>> sessions(final String name) {
        return Materialized.as(name);
    }
}
