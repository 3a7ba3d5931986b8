import org.apache.kafka.streams.kstream.CogroupedKStream;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/** Described programs have no types of their own: all keys and values are objects. */
@SuppressWarnings("unchecked")
final class Raw {
    private Raw() {}

    static KStream<Object, Object> stream(final Object item) {
        return (KStream<Object, Object>) item;
    }

    static KTable<Object, Object> table(final Object item) {
        return (KTable<Object, Object>) item;
    }

    static GlobalKTable<Object, Object> global(final Object item) {
        return (GlobalKTable<Object, Object>) item;
    }

    static KGroupedStream<Object, Object> grouped(final Object item) {
        return (KGroupedStream<Object, Object>) item;
    }

    static KGroupedTable<Object, Object> groupedTable(final Object item) {
        return (KGroupedTable<Object, Object>) item;
    }

    static CogroupedKStream<Object, Object> cogrouped(final Object item) {
        return (CogroupedKStream<Object, Object>) item;
    }
}
