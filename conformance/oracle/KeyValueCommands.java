import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** Commands for a key-value store of texts. */
public abstract class KeyValueCommands extends StoreCommands<KeyValueStore<String, String>> {
    @Override
    protected String answer(final KeyValueStore<String, String> store, final String[] words) {
        switch (words[0]) {
            case "put":
                store.put(words[1], word(words[2]));
                return null;
            case "get":
                return shown(store.get(words[1]));
            case "delete":
                return shown(store.delete(words[1]));
            case "put_if_absent":
                return shown(store.putIfAbsent(words[1], words[2]));
            case "count":
                return String.valueOf(store.approximateNumEntries());
            case "range":
                return rows(store.range(word(words[1]), word(words[2])));
            case "all":
                return rows(store.all());
            case "reverse_all":
                return rows(store.reverseAll());
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static String rows(final KeyValueIterator<String, String> rows) {
        try (rows) {
            return listed(rows);
        }
    }
}
