import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedKeyValueStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;

/** A cached timestamped store of a processor logs at the commit, deletions of nothing too. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.addStateStore(Stores.timestampedKeyValueStoreBuilder(Stores.persistentTimestampedKeyValueStore("store"), Serdes.String(), Serdes.String()).withCachingEnabled());
        builder.<String, String>stream("in").process(() -> new Mine(log), "store").to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }

    static class Mine extends ContextualProcessor<String, String, String, String> {
        final Log log;

        Mine(Log log) {
            this.log = log;
        }

        static String said(ValueAndTimestamp<String> pair) {
            return pair == null ? "None" : pair.value() + "@" + pair.timestamp();
        }

        public void process(Record<String, String> record) {
            TimestampedKeyValueStore<String, String> store = context().getStateStore("store");
            switch (record.value()) {
                case "get" -> log.add(said(store.get(record.key())));
                case "all" -> {
                    List<String> rows = new ArrayList<>();
                    try (KeyValueIterator<String, ValueAndTimestamp<String>> all = store.all()) {
                        all.forEachRemaining(row -> rows.add(row.key + ":" + said(row.value)));
                    }
                    log.add(String.join(" ", rows));
                }
                case "delete" -> log.add(said(store.delete(record.key())));
                default -> {
                    long number = 0;
                    for (String word : record.value().split(" ")) {
                        store.put(record.key(), word.equals("-") ? null : ValueAndTimestamp.make(word, number));
                        number += 1;
                    }
                }
            }
        }
    }
}
