import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedKeyValueStoreWithHeaders;
import org.apache.kafka.streams.state.ValueTimestampHeaders;

public class Program implements Case {
    @Override
    public Topology topology(final Log log) {
        final Topology topology = new Topology();
        topology.addSource("source", "in");
        topology.addProcessor("commands", () -> new Commands(log), "source");
        topology.addStateStore(
            Stores.timestampedKeyValueStoreWithHeadersBuilder(
                Stores.persistentTimestampedKeyValueStoreWithHeaders("last"), Serdes.String(), Serdes.String()
            ).withCachingDisabled(),
            "commands"
        );
        return topology;
    }

    private static final class Commands implements Processor<String, String, String, String> {
        private final Log log;
        private TimestampedKeyValueStoreWithHeaders<String, String> store;

        Commands(final Log log) {
            this.log = log;
        }

        @Override
        public void init(final ProcessorContext<String, String> context) {
            store = context.getStateStore("last");
        }

        @Override
        public void process(final Record<String, String> record) {
            final String key = record.key();
            final String[] words = record.value().split(" ", 2);
            final String value = words.length > 1 ? words[1] : "";
            final ValueTimestampHeaders<String> entry =
                ValueTimestampHeaders.make(value, record.timestamp() + 1, record.headers());
            switch (words[0]) {
                case "put" -> store.put(key, entry);
                case "bare" -> store.put(
                    key, ValueTimestampHeaders.make(value, record.timestamp(), new RecordHeaders()));
                case "null" -> store.put(key, null);
                case "absent" -> log.add("absent " + shown(store.putIfAbsent(key, entry)));
                case "all" -> store.putAll(
                    List.of(KeyValue.pair(key, entry), KeyValue.pair(key + key, entry)));
                case "delete" -> log.add("delete " + shown(store.delete(key)));
                default -> { }
            }
            log.add("get " + shown(store.get(key)));
            final List<String> rows = new ArrayList<>();
            try (KeyValueIterator<String, ValueTimestampHeaders<String>> all = store.range("a", "b")) {
                all.forEachRemaining(row -> rows.add(row.key + " " + shown(row.value)));
            }
            log.add("range " + String.join("; ", rows));
            rows.clear();
            try (KeyValueIterator<String, ValueTimestampHeaders<String>> all = store.reverseAll()) {
                all.forEachRemaining(row -> rows.add(row.key));
            }
            log.add("reverse " + String.join("; ", rows));
            rows.clear();
            try (KeyValueIterator<String, ValueTimestampHeaders<String>> all =
                    store.prefixScan("a", new StringSerializer())) {
                all.forEachRemaining(row -> rows.add(row.key));
            }
            log.add("prefix " + String.join("; ", rows));
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
