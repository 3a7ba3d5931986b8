import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Aggregator;
import org.apache.kafka.streams.kstream.CogroupedKStream;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Initializer;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Merger;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Reducer;
import org.apache.kafka.streams.kstream.SessionWindowedCogroupedKStream;
import org.apache.kafka.streams.kstream.SessionWindowedKStream;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.TimeWindowedCogroupedKStream;
import org.apache.kafka.streams.kstream.TimeWindowedKStream;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.UnlimitedWindows;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.WindowStore;

/** The verbs of groups: aggregations of all kinds. */
final class DescribedGroups {
    private final Map<String, Object> results;

    DescribedGroups(final Map<String, Object> results) {
        this.results = results;
    }

    Object ofStream(final JsonNode step, final KGroupedStream<Object, Object> group) {
        final Named named = DescribedOptions.named(step);
        final Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> store = DescribedOptions.materialized(step);
        switch (step.get("verb").textValue()) {
            case "count":
                return store == null ? group.count(named) : group.count(named, counts(store));
            case "reduce":
                return nameless(step)
                    ? group.reduce(reducer(step, "f"))
                    : group.reduce(reducer(step, "f"), named, kept(store));
            case "aggregate":
                return nameless(step)
                    ? group.aggregate(initializer(step), aggregator(step, "f"))
                    : group.aggregate(initializer(step), aggregator(step, "f"), named, kept(store));
            case "cogroup":
                return group.cogroup(aggregator(step, "f"));
            default:
                return windowed(step, group);
        }
    }

    Object ofTable(final JsonNode step, final KGroupedTable<Object, Object> group) {
        final Named named = DescribedOptions.named(step);
        final Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> store = DescribedOptions.materialized(step);
        switch (step.get("verb").textValue()) {
            case "count":
                return store == null ? group.count(named) : group.count(named, counts(store));
            case "reduce":
                return nameless(step)
                    ? group.reduce(reducer(step, "f"), reducer(step, "subtractor"))
                    : group.reduce(reducer(step, "f"), reducer(step, "subtractor"), named, kept(store));
            default:
                return store == null
                    ? group.aggregate(initializer(step), aggregator(step, "f"), aggregator(step, "subtractor"), named)
                    : group.aggregate(
                        initializer(step), aggregator(step, "f"), aggregator(step, "subtractor"), named, store);
        }
    }

    Object ofCogrouped(final JsonNode step, final CogroupedKStream<Object, Object> group) {
        final Named named = DescribedOptions.named(step);
        switch (step.get("verb").textValue()) {
            case "cogroup":
                return group.cogroup(Raw.grouped(results.get(step.get("with").textValue())), aggregator(step, "f"));
            case "aggregate":
                return step.has("materialized")
                    ? group.aggregate(initializer(step), named, DescribedOptions.materialized(step))
                    : group.aggregate(initializer(step), named);
            default:
                return windowed(step, group);
        }
    }

    @SuppressWarnings("unchecked")
    Object ofWindowed(final JsonNode step, final Object group) {
        if (group instanceof TimeWindowedKStream) {
            return ofTimes(step, (TimeWindowedKStream<Object, Object>) group);
        }
        if (group instanceof SessionWindowedKStream) {
            return ofSessions(step, (SessionWindowedKStream<Object, Object>) group);
        }
        final Named named = DescribedOptions.named(step);
        if (group instanceof SessionWindowedCogroupedKStream) {
            final SessionWindowedCogroupedKStream<Object, Object> sessions =
                (SessionWindowedCogroupedKStream<Object, Object>) group;
            return step.has("materialized")
                ? sessions.aggregate(initializer(step), merger(step), named, DescribedOptions.materialized(step))
                : sessions.aggregate(initializer(step), merger(step), named);
        }
        final TimeWindowedCogroupedKStream<Object, Object> times = (TimeWindowedCogroupedKStream<Object, Object>) group;
        return step.has("materialized")
            ? times.aggregate(initializer(step), named, DescribedOptions.materialized(step))
            : times.aggregate(initializer(step), named);
    }

    private static Object ofTimes(final JsonNode step, final TimeWindowedKStream<Object, Object> group) {
        final Named named = DescribedOptions.named(step);
        final Materialized<Object, Object, WindowStore<Bytes, byte[]>> store = DescribedOptions.materialized(step);
        switch (step.get("verb").textValue()) {
            case "count":
                return store == null ? group.count(named) : group.count(named, counts(store));
            case "reduce":
                return store == null
                    ? group.reduce(reducer(step, "f"), named)
                    : group.reduce(reducer(step, "f"), named, store);
            default:
                return store == null
                    ? group.aggregate(initializer(step), aggregator(step, "f"), named)
                    : group.aggregate(initializer(step), aggregator(step, "f"), named, store);
        }
    }

    private static Object ofSessions(final JsonNode step, final SessionWindowedKStream<Object, Object> group) {
        final Named named = DescribedOptions.named(step);
        final Materialized<Object, Object, SessionStore<Bytes, byte[]>> store = DescribedOptions.materialized(step);
        switch (step.get("verb").textValue()) {
            case "count":
                return store == null ? group.count(named) : group.count(named, counts(store));
            case "reduce":
                return store == null
                    ? group.reduce(reducer(step, "f"), named)
                    : group.reduce(reducer(step, "f"), named, store);
            default:
                return store == null
                    ? group.aggregate(initializer(step), aggregator(step, "f"), merger(step), named)
                    : group.aggregate(initializer(step), aggregator(step, "f"), merger(step), named, store);
        }
    }

    private static Object windowed(final JsonNode step, final Object group) {
        final JsonNode windows = step.get("windows");
        final Duration grace = Duration.ofMillis(windows.path("grace").longValue());
        switch (windows.get("kind").textValue()) {
            case "sliding":
                final SlidingWindows sliding =
                    SlidingWindows.ofTimeDifferenceAndGrace(DescribedOptions.duration(windows, "difference"), grace);
                return group instanceof KGroupedStream
                    ? emitting(step, Raw.grouped(group).windowedBy(sliding))
                    : Raw.cogrouped(group).windowedBy(sliding);
            case "session":
                final SessionWindows sessions =
                    SessionWindows.ofInactivityGapAndGrace(DescribedOptions.duration(windows, "gap"), grace);
                return group instanceof KGroupedStream
                    ? emitting(step, Raw.grouped(group).windowedBy(sessions))
                    : Raw.cogrouped(group).windowedBy(sessions);
            case "unlimited":
                final UnlimitedWindows unlimited = UnlimitedWindows.of()
                    .startOn(java.time.Instant.ofEpochMilli(windows.path("start").longValue()));
                return group instanceof KGroupedStream
                    ? emitting(step, Raw.grouped(group).windowedBy(unlimited))
                    : Raw.cogrouped(group).windowedBy(unlimited);
            default:
                TimeWindows times = TimeWindows.ofSizeAndGrace(DescribedOptions.duration(windows, "size"), grace);
                if (windows.has("advance")) {
                    times = times.advanceBy(DescribedOptions.duration(windows, "advance"));
                }
                return group instanceof KGroupedStream
                    ? emitting(step, Raw.grouped(group).windowedBy(times))
                    : Raw.cogrouped(group).windowedBy(times);
        }
    }

    private static Object emitting(final JsonNode step, final TimeWindowedKStream<Object, Object> windowed) {
        return step.path("emit").asText().equals("close")
            ? windowed.emitStrategy(EmitStrategy.onWindowClose())
            : windowed;
    }

    private static Object emitting(final JsonNode step, final SessionWindowedKStream<Object, Object> windowed) {
        return step.path("emit").asText().equals("close")
            ? windowed.emitStrategy(EmitStrategy.onWindowClose())
            : windowed;
    }

    /** A count is the one aggregation whose type Java knows. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <M extends Materialized> M counts(final Materialized<?, ?, ?> store) {
        return (M) store;
    }

    private static boolean nameless(final JsonNode step) {
        return !step.has("named") && !step.has("materialized");
    }

    /** Some verbs take a name only together with a store; one of which nothing is said is what they have without it. */
    private static <S extends StateStore> Materialized<Object, Object, S> kept(
        final Materialized<Object, Object, S> store) {
        return store == null ? Materialized.with(null, null) : store;
    }

    private static Initializer<Object> initializer(final JsonNode step) {
        return FuzzFunctions.INITIALIZERS.get(DescribedOptions.text(step, "initializer"))::get;
    }

    private static Reducer<Object> reducer(final JsonNode step, final String field) {
        return FuzzFunctions.REDUCERS.get(DescribedOptions.text(step, field))::apply;
    }

    private static Aggregator<Object, Object, Object> aggregator(final JsonNode step, final String field) {
        return FuzzFunctions.AGGREGATORS.get(DescribedOptions.text(step, field))::apply;
    }

    private static Merger<Object, Object> merger(final JsonNode step) {
        return FuzzFunctions.MERGERS.get(DescribedOptions.text(step, "merger"))::apply;
    }
}
