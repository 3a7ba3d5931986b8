import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.AggregationWithHeaders;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.SessionStoreWithHeaders;
import org.apache.kafka.streams.state.Stores;

public class Program implements Case {
    @Override
    public void configure(final Properties config) {
        config.put("statestore.cache.max.bytes", 1000);
    }

    @Override
    public Topology topology(final Log log) {
        final Topology topology = new Topology();
        topology.addSource("source", "in");
        topology.addProcessor("commands", () -> new Commands(log), "source");
        topology.addStateStore(
            Stores.sessionStoreWithHeadersBuilder(
                Stores.persistentSessionStoreWithHeaders("amounts", Duration.ofMillis(120_000)),
                Serdes.String(),
                Serdes.String()
            ).withCachingEnabled(),
            "commands"
        );
        return topology;
    }

    private static final class Commands implements Processor<String, String, String, String> {
        private final Log log;
        private SessionStoreWithHeaders<String, String> store;

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
            final Windowed<String> session = new Windowed<>(key, new SessionWindow(start, start + 5));
            switch (record.value()) {
                case "null" -> store.put(session, null);
                case "remove" -> store.remove(session);
                default -> store.put(session, AggregationWithHeaders.make(record.value(), record.headers()));
            }
            log.add("session " + shown(store.fetchSession(key, start, start + 5)));
            final List<String> rows = new ArrayList<>();
            try (KeyValueIterator<Windowed<String>, AggregationWithHeaders<String>> all =
                    store.findSessions(key, 0, 100)) {
                all.forEachRemaining(row -> rows.add(row.key.window().start() + " " + shown(row.value)));
            }
            log.add("sessions " + String.join("; ", rows));
            rows.clear();
            try (KeyValueIterator<Windowed<String>, AggregationWithHeaders<String>> all = store.fetch("a", "b")) {
                all.forEachRemaining(
                    row -> rows.add(row.key.key() + "@" + row.key.window().end() + " " + shown(row.value)));
            }
            log.add("all " + String.join("; ", rows));
        }

        private static String shown(final AggregationWithHeaders<String> entry) {
            if (entry == null) {
                return "none";
            }
            final List<String> headers = new ArrayList<>();
            for (final Header header : entry.headers()) {
                headers.add(header.key() + "=" + (header.value() == null ? "null" : new String(header.value())));
            }
            return entry.aggregation() + "[" + String.join(",", headers) + "]";
        }
    }
}
