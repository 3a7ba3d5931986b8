import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedWindowStoreWithHeaders;
import org.apache.kafka.streams.state.ValueTimestampHeaders;
import org.apache.kafka.streams.state.WindowStoreIterator;

public class Program implements Case {
    @Override
    public Topology topology(final Log log) {
        final Topology topology = new Topology();
        topology.addSource("source", "in");
        topology.addProcessor("commands", () -> new Commands(log), "source");
        topology.addStateStore(
            Stores.timestampedWindowStoreWithHeadersBuilder(
                Stores.inMemoryWindowStore("amounts", Duration.ofMillis(120_000), Duration.ofMillis(10), false),
                Serdes.String(),
                Serdes.String()
            ).withCachingDisabled(),
            "commands"
        );
        return topology;
    }

    private static final class Commands implements Processor<String, String, String, String> {
        private final Log log;
        private TimestampedWindowStoreWithHeaders<String, String> store;

        Commands(final Log log) {
            this.log = log;
        }

        @Override
        public void init(final ProcessorContext<String, String> context) {
            store = context.getStateStore("amounts");
        }

        @Override
        public void process(final Record<String, String> record) {
            final String key = record.key();
            final long start = record.timestamp() / 10 * 10;
            if (record.value().equals("null")) {
                store.put(key, null, start);
            } else {
                store.put(
                    key,
                    ValueTimestampHeaders.make(record.value(), record.timestamp() + 1, record.headers()),
                    start
                );
            }
            log.add("fetch " + shown(store.fetch(key, start)));
            final List<String> rows = new ArrayList<>();
            try (WindowStoreIterator<ValueTimestampHeaders<String>> all = store.fetch(key, 0, 100)) {
                all.forEachRemaining(row -> rows.add(row.key + " " + shown(row.value)));
            }
            log.add("windows " + String.join("; ", rows));
            rows.clear();
            try (KeyValueIterator<Windowed<String>, ValueTimestampHeaders<String>> all = store.fetchAll(0, 100)) {
                all.forEachRemaining(
                    row -> rows.add(row.key.key() + "@" + row.key.window().start() + " " + shown(row.value)));
            }
            log.add("all " + String.join("; ", rows));
        }

        private static String shown(final ValueTimestampHeaders<String> entry) {
            if (entry == null) {
                return "none";
            }
            final List<String> headers = new ArrayList<>();
            for (final Header header : entry.headers()) {
                headers.add(header.key() + "=" + (header.value() == null ? "null" : new String(header.value())));
            }
            return entry.value() + "@" + entry.timestamp() + "[" + String.join(",", headers) + "]";
        }
    }
}
