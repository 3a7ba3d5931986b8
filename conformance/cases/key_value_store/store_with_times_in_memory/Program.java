import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedKeyValueStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;

/**
 * A timestamped store keeps a time with each value; its changelog has the value alone, under that time; a deletion has
 * the record's.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.addStateStore(Stores.timestampedKeyValueStoreBuilder(Stores.inMemoryKeyValueStore("store"), Serdes.String(), Serdes.String()));
        builder.<String, String>stream("in").process(() -> new Mine(log), "store").to("out");
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
                default -> store.put(record.key(), ValueAndTimestamp.make(record.value(), record.timestamp() * 10));
            }
        }
    }
}
