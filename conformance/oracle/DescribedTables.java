import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.KeyValueMapper;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.ValueMapper;
import org.apache.kafka.streams.kstream.ValueMapperWithKey;
import org.apache.kafka.streams.state.KeyValueStore;

/** The verbs of a table but its joins. */
final class DescribedTables {
    private final StreamsBuilder builder;
    private final Map<String, Object> results;

    DescribedTables(final StreamsBuilder builder, final Map<String, Object> results) {
        this.builder = builder;
        this.results = results;
    }

    Object apply(final JsonNode step, final KTable<Object, Object> table) {
        final String function = DescribedOptions.text(step, "f");
        final Named named = DescribedOptions.named(step);
        final Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> store = DescribedOptions.materialized(step);
        switch (step.get("verb").textValue()) {
            case "filter":
                return store == null
                    ? table.filter(FuzzFunctions.PREDICATES.get(function)::apply, named)
                    : table.filter(FuzzFunctions.PREDICATES.get(function)::apply, named, store);
            case "filter_not":
                return store == null
                    ? table.filterNot(FuzzFunctions.PREDICATES.get(function)::apply, named)
                    : table.filterNot(FuzzFunctions.PREDICATES.get(function)::apply, named, store);
            case "map_values":
                final ValueMapper<Object, Object> mapper = FuzzFunctions.MAPPERS.get(function)::apply;
                return store == null ? table.mapValues(mapper, named) : table.mapValues(mapper, named, store);
            case "map_values_with_key":
                final ValueMapperWithKey<Object, Object, Object> keyMapper =
                    FuzzFunctions.KEY_MAPPERS.get(function)::apply;
                return store == null ? table.mapValues(keyMapper, named) : table.mapValues(keyMapper, named, store);
            case "to_stream":
                return function == null
                    ? table.toStream(named)
                    : table.toStream(FuzzFunctions.SELECTORS.get(function)::apply, named);
            case "group_by":
                final KeyValueMapper<Object, Object, KeyValue<Object, Object>> selector = DescribedStreams.pair(step);
                return step.has("grouped")
                    ? table.groupBy(selector, DescribedOptions.grouped(step))
                    : table.groupBy(selector);
            case "suppress":
                return table.suppress(suppressed(step));
            case "transform_values":
                return DescribedProcessors.transformValues(step, table, named, store, builder);
            default:
                return DescribedJoins.ofTable(step, table, Raw.table(results.get(step.get("with").textValue())));
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Suppressed<Object> suppressed(final JsonNode step) {
        final Suppressed<Object> suppressed;
        if (step.get("until").textValue().equals("window_closes")) {
            suppressed = (Suppressed) Suppressed.untilWindowCloses((Suppressed.StrictBufferConfig) buffer(step));
        } else {
            final Duration limit = DescribedOptions.duration(step, "limit");
            suppressed = Suppressed.untilTimeLimit(limit, buffer(step));
        }
        return step.has("named") ? suppressed.withName(DescribedOptions.text(step, "named")) : suppressed;
    }

    /** Logging is switched off last: what is said afterwards makes a buffer that has forgotten it. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static BufferConfig buffer(final JsonNode step) {
        BufferConfig buffer = BufferConfig.unbounded();
        if (step.has("max_records")) {
            buffer = buffer.withMaxRecords(step.get("max_records").longValue());
        }
        if (step.has("max_bytes")) {
            buffer = buffer.withMaxBytes(step.get("max_bytes").longValue());
        }
        if (step.has("full")) {
            buffer = step.get("full").textValue().equals("emit_early")
                ? buffer.emitEarlyWhenFull()
                : buffer.shutDownWhenFull();
        }
        return step.path("logging").asBoolean(true) ? buffer : buffer.withLoggingDisabled();
    }
}
