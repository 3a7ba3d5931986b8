import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.SessionStore;

/** Commands for a session store of texts. */
public abstract class SessionCommands extends StoreCommands<SessionStore<String, String>> {
    @Override
    protected String answer(final SessionStore<String, String> store, final String[] words) {
        switch (words[0]) {
            case "put":
                store.put(session(words[1], words[3], words[4]), word(words[2]));
                return null;
            case "remove":
                store.remove(session(words[1], words[2], words[3]));
                return null;
            case "get":
                return shown(store.fetchSession(words[1], number(words[2]), number(words[3])));
            case "find":
                return sessions(store.findSessions(words[1], number(words[2]), number(words[3])));
            case "backward_find":
                return sessions(store.backwardFindSessions(words[1], number(words[2]), number(words[3])));
            case "find_range":
                return sessions(store.findSessions(word(words[1]), word(words[2]), number(words[3]), number(words[4])));
            case "backward_find_range":
                return sessions(store.backwardFindSessions(word(words[1]), word(words[2]), number(words[3]), number(words[4])));
            case "find_ending":
                return sessions(store.findSessions(number(words[1]), number(words[2])));
            case "fetch":
                return sessions(store.fetch(words[1]));
            case "backward_fetch":
                return sessions(store.backwardFetch(words[1]));
            case "fetch_range":
                return sessions(store.fetch(word(words[1]), word(words[2])));
            case "backward_fetch_range":
                return sessions(store.backwardFetch(word(words[1]), word(words[2])));
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static Windowed<String> session(final String key, final String start, final String end) {
        return new Windowed<>(key, new SessionWindow(number(start), number(end)));
    }

    private static String sessions(final KeyValueIterator<Windowed<String>, String> rows) {
        try (rows) {
            return listed(rows);
        }
    }
}
