import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecord;

/** Commands for a versioned key-value store of texts. */
public abstract class VersionedCommands extends StoreCommands<VersionedKeyValueStore<String, String>> {
    @Override
    protected String answer(final VersionedKeyValueStore<String, String> store, final String[] words) {
        switch (words[0]) {
            case "put":
                return String.valueOf(store.put(words[1], word(words[2]), number(words[3])));
            case "get":
                return version(store.get(words[1]));
            case "as_of":
                return version(store.get(words[1], number(words[2])));
            case "until":
                return until(store.get(words[1], number(words[2])));
            case "delete_until":
                return until(store.delete(words[1], number(words[2])));
            case "delete":
                return version(store.delete(words[1], number(words[2])));
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static String until(final VersionedRecord<String> record) {
        return record == null ? "-" : record.value() + " until " + record.validTo().map(String::valueOf).orElse("-");
    }

    private static String version(final VersionedRecord<String> record) {
        return record == null ? "-" : record.value() + "@" + record.timestamp();
    }
}
