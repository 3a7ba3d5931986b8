import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.function.BiFunction;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.KeyValueMapper;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.TableJoined;
import org.apache.kafka.streams.kstream.ValueJoiner;
import org.apache.kafka.streams.kstream.ValueJoinerWithKey;
import org.apache.kafka.streams.state.KeyValueStore;

/** Joins of all kinds. A joiner without the key is made one with the key: Java itself does that. */
final class DescribedJoins {
    private DescribedJoins() {}

    static Object ofStream(final JsonNode step, final KStream<Object, Object> stream, final Object other) {
        if (other instanceof KStream) {
            return ofStreams(step, stream, Raw.stream(other));
        }
        if (other instanceof GlobalKTable) {
            return withGlobal(step, stream, Raw.global(other));
        }
        final KTable<Object, Object> table = Raw.table(other);
        final Joined<Object, Object, Object> joined = DescribedOptions.joined(step);
        if (step.get("verb").textValue().equals("join")) {
            return joined == null ? stream.join(table, keyed(step)) : stream.join(table, keyed(step), joined);
        }
        return joined == null ? stream.leftJoin(table, keyed(step)) : stream.leftJoin(table, keyed(step), joined);
    }

    private static Object ofStreams(
        final JsonNode step, final KStream<Object, Object> stream, final KStream<Object, Object> other) {
        final JoinWindows windows = windows(step.get("windows"));
        final StreamJoined<Object, Object, Object> joined = DescribedOptions.streamJoined(step);
        final ValueJoinerWithKey<Object, Object, Object, Object> joiner = keyed(step);
        switch (step.get("verb").textValue()) {
            case "join":
                return joined == null
                    ? stream.join(other, joiner, windows)
                    : stream.join(other, joiner, windows, joined);
            case "left_join":
                return joined == null
                    ? stream.leftJoin(other, joiner, windows)
                    : stream.leftJoin(other, joiner, windows, joined);
            default:
                return joined == null
                    ? stream.outerJoin(other, joiner, windows)
                    : stream.outerJoin(other, joiner, windows, joined);
        }
    }

    private static Object withGlobal(
        final JsonNode step, final KStream<Object, Object> stream, final GlobalKTable<Object, Object> table) {
        final KeyValueMapper<Object, Object, Object> selector =
            FuzzFunctions.SELECTORS.get(DescribedOptions.text(step, "key"))::apply;
        final Named named = DescribedOptions.named(step);
        return step.get("verb").textValue().equals("join")
            ? stream.join(table, selector, keyed(step), named)
            : stream.leftJoin(table, selector, keyed(step), named);
    }

    static Object ofTable(final JsonNode step, final KTable<Object, Object> table, final KTable<Object, Object> other) {
        if (step.has("key")) {
            return byForeignKey(step, table, other);
        }
        final ValueJoiner<Object, Object, Object> joiner = joiner(step);
        final Named named = DescribedOptions.named(step);
        final Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> store = DescribedOptions.materialized(step);
        switch (step.get("verb").textValue()) {
            case "join":
                return store == null ? table.join(other, joiner, named) : table.join(other, joiner, named, store);
            case "left_join":
                return store == null
                    ? table.leftJoin(other, joiner, named)
                    : table.leftJoin(other, joiner, named, store);
            default:
                return store == null
                    ? table.outerJoin(other, joiner, named)
                    : table.outerJoin(other, joiner, named, store);
        }
    }

    private static Object byForeignKey(
        final JsonNode step, final KTable<Object, Object> table, final KTable<Object, Object> other) {
        final BiFunction<Object, Object, Object> extractor =
            FuzzFunctions.SELECTORS.get(DescribedOptions.text(step, "key"))::apply;
        final ValueJoiner<Object, Object, Object> joiner = joiner(step);
        final TableJoined<Object, Object> joined = step.has("named")
            ? TableJoined.as(DescribedOptions.text(step, "named"))
            : TableJoined.with(null, null);
        final Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> store = DescribedOptions.materialized(step);
        if (step.get("verb").textValue().equals("join")) {
            return store == null
                ? table.join(other, extractor, joiner, joined)
                : table.join(other, extractor, joiner, joined, store);
        }
        return store == null
            ? table.leftJoin(other, extractor, joiner, joined)
            : table.leftJoin(other, extractor, joiner, joined, store);
    }

    private static JoinWindows windows(final JsonNode node) {
        final Duration grace = Duration.ofMillis(node.path("grace").longValue());
        JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(DescribedOptions.duration(node, "difference"), grace);
        if (node.has("before")) {
            windows = windows.before(DescribedOptions.duration(node, "before"));
        }
        return node.has("after") ? windows.after(DescribedOptions.duration(node, "after")) : windows;
    }

    private static ValueJoiner<Object, Object, Object> joiner(final JsonNode step) {
        return FuzzFunctions.JOINERS.get(DescribedOptions.text(step, "f"))::apply;
    }

    private static ValueJoinerWithKey<Object, Object, Object, Object> keyed(final JsonNode step) {
        if (step.has("key_joiner")) {
            return FuzzFunctions.KEY_JOINERS.get(DescribedOptions.text(step, "key_joiner"))::apply;
        }
        final ValueJoiner<Object, Object, Object> joiner = joiner(step);
        return (key, left, right) -> joiner.apply(left, right);
    }
}
