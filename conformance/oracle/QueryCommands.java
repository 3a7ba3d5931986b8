import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.query.KeyQuery;
import org.apache.kafka.streams.query.MultiVersionedKeyQuery;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.RangeQuery;
import org.apache.kafka.streams.query.TimestampedKeyQuery;
import org.apache.kafka.streams.query.TimestampedRangeQuery;
import org.apache.kafka.streams.query.VersionedKeyQuery;
import org.apache.kafka.streams.query.WindowKeyQuery;
import org.apache.kafka.streams.query.WindowRangeQuery;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.VersionedRecord;

/** Commands that write a store and query it (IQv2). Twin: tests/conformance/test_queries.py. */
public abstract class QueryCommands<S extends StateStore> extends StoreCommands<S> {
    protected abstract void put(S store, String[] words);

    @Override
    protected final String answer(final S store, final String[] words) {
        if (words[0].equals("put")) {
            put(store, words);
            return null;
        }
        final QueryResult<?> result = store.query(query(words), PositionBound.unbounded(), new QueryConfig(false));
        return result.isFailure() ? result.getFailureReason().name() : told(result.getResult());
    }

    private static Query<?> query(final String[] words) {
        switch (words[0]) {
            case "key":
                return KeyQuery.withKey(words[1]);
            case "timestamped_key":
                return TimestampedKeyQuery.withKey(words[1]);
            case "range":
                return RangeQuery.withRange(word(words[1]), word(words[2]));
            case "descending_range":
                return RangeQuery.withRange(word(words[1]), word(words[2])).withDescendingKeys();
            case "timestamped_range":
                return TimestampedRangeQuery.withRange(word(words[1]), word(words[2]));
            case "descending_timestamped_range":
                return TimestampedRangeQuery.withRange(word(words[1]), word(words[2])).withDescendingKeys();
            case "windows":
                return WindowKeyQuery.withKeyAndWindowStartRange(words[1], time(words[2]), time(words[3]));
            case "window_range":
                return WindowRangeQuery.withWindowStartRange(time(words[1]), time(words[2]));
            case "sessions":
                return WindowRangeQuery.withKey(words[1]);
            case "version":
                return VersionedKeyQuery.withKey(words[1]);
            case "version_as_of":
                return VersionedKeyQuery.withKey(words[1]).asOf(time(words[2]));
            case "versions":
                return MultiVersionedKeyQuery.withKey(words[1]).fromTime(time(words[2])).toTime(time(words[3]));
            case "oldest_versions":
                return MultiVersionedKeyQuery.withKey(words[1]).fromTime(time(words[2])).toTime(time(words[3]))
                    .withAscendingTimestamps();
            case "all_versions":
                return MultiVersionedKeyQuery.withKey(words[1]);
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static Instant time(final String text) {
        return Instant.ofEpochMilli(number(text));
    }

    private static String told(final Object result) {
        if (result instanceof Iterator<?>) {
            final List<String> rows = new ArrayList<>();
            ((Iterator<?>) result).forEachRemaining(row -> rows.add(told(row)));
            return "[" + String.join(" ", rows) + "]";
        }
        if (result instanceof KeyValue<?, ?>) {
            return told(((KeyValue<?, ?>) result).key) + "=" + told(((KeyValue<?, ?>) result).value);
        }
        if (result instanceof Windowed<?>) {
            final Windowed<?> windowed = (Windowed<?>) result;
            return windowed.key() + "@" + windowed.window().start() + "/" + windowed.window().end();
        }
        if (result instanceof ValueAndTimestamp<?>) {
            return ((ValueAndTimestamp<?>) result).value() + "@" + ((ValueAndTimestamp<?>) result).timestamp();
        }
        if (result instanceof VersionedRecord<?>) {
            return ((VersionedRecord<?>) result).value() + "@" + ((VersionedRecord<?>) result).timestamp();
        }
        return shown(result);
    }
}
