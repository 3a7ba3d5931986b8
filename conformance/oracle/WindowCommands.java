import java.util.Objects;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;

/** Commands for a window store. A value of a timestamped one is written value@time. */
public abstract class WindowCommands<V> extends StoreCommands<WindowStore<String, V>> {
    protected abstract V value(String text);

    protected String shownValue(final V value) {
        return Objects.toString(value);
    }

    @Override
    protected String answer(final WindowStore<String, V> store, final String[] words) {
        switch (words[0]) {
            case "put":
                store.put(words[1], words[2].equals("-") ? null : value(words[2]), number(words[3]));
                return null;
            case "get":
                final V found = store.fetch(words[1], number(words[2]));
                return found == null ? "-" : shownValue(found);
            case "fetch":
                return starts(store.fetch(words[1], number(words[2]), number(words[3])));
            case "backward_fetch":
                return starts(store.backwardFetch(words[1], number(words[2]), number(words[3])));
            case "fetch_range":
                return windows(store.fetch(word(words[1]), word(words[2]), number(words[3]), number(words[4])));
            case "backward_fetch_range":
                return windows(store.backwardFetch(word(words[1]), word(words[2]), number(words[3]), number(words[4])));
            case "fetch_all":
                return windows(store.fetchAll(number(words[1]), number(words[2])));
            case "backward_fetch_all":
                return windows(store.backwardFetchAll(number(words[1]), number(words[2])));
            case "all":
                return windows(store.all());
            case "backward_all":
                return windows(store.backwardAll());
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private String starts(final WindowStoreIterator<V> rows) {
        try (rows) {
            return listed(new Shown<>(rows));
        }
    }

    private String windows(final KeyValueIterator<Windowed<String>, V> rows) {
        try (rows) {
            return listed(new Shown<>(rows));
        }
    }

    private final class Shown<K> implements java.util.Iterator<KeyValue<K, String>> {
        private final KeyValueIterator<K, V> rows;

        Shown(final KeyValueIterator<K, V> rows) {
            this.rows = rows;
        }

        @Override
        public boolean hasNext() {
            return rows.hasNext();
        }

        @Override
        public KeyValue<K, String> next() {
            final KeyValue<K, V> row = rows.next();
            return KeyValue.pair(row.key, shownValue(row.value));
        }
    }
}
