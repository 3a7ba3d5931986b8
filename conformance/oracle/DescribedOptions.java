import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.WindowedSerdes;
import org.apache.kafka.streams.kstream.internals.NamedInternal;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.DslStoreSuppliers;
import org.apache.kafka.streams.state.Stores;

/** The options of a step; null where the step does not give them, since Java has a method without the parameter then. */
final class DescribedOptions {
    private DescribedOptions() {}

    static String text(final JsonNode node, final String field) {
        return node.has(field) ? node.get(field).textValue() : null;
    }

    static Duration duration(final JsonNode node, final String field) {
        return Duration.ofMillis(node.get(field).longValue());
    }

    /** The empty name is what Java's methods without the parameter take. */
    static Named named(final JsonNode step) {
        return step.has("named") ? Named.as(text(step, "named")) : NamedInternal.empty();
    }

    /** string, long, time/&lt;size&gt;/&lt;inner&gt; or session/&lt;inner&gt;. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    static Serde<Object> serde(final JsonNode node, final String field) {
        final String name = text(node, field);
        return name == null ? null : (Serde) serde(name);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Serde<?> serde(final String name) {
        final String[] parts = name.split("/", 3);
        switch (parts[0]) {
            case "string":
                return Serdes.String();
            case "long":
                return Serdes.Long();
            case "time":
                return new WindowedSerdes.TimeWindowedSerde(serde(parts[2]), Long.parseLong(parts[1]));
            case "session":
                return new WindowedSerdes.SessionWindowedSerde(serde(name.substring("session/".length())));
            default:
                throw new IllegalArgumentException("no such serde: " + name);
        }
    }

    static Consumed<Object, Object> consumed(final JsonNode step) {
        final JsonNode option = step.get("consumed");
        if (option == null) {
            return null;
        }
        Consumed<Object, Object> consumed = Consumed.with(serde(option, "key"), serde(option, "value"));
        if (option.has("name")) {
            consumed = consumed.withName(text(option, "name"));
        }
        // The one extractor there is: all that happens is said to have happened at half its time.
        return option.has("half_time")
            ? consumed.withTimestampExtractor((record, partitionTime) -> record.timestamp() / 2)
            : consumed;
    }

    static Produced<Object, Object> produced(final JsonNode step) {
        final JsonNode option = step.get("produced");
        if (option == null) {
            return null;
        }
        Produced<Object, Object> produced = Produced.with(serde(option, "key"), serde(option, "value"));
        if (option.has("name")) {
            produced = produced.withName(text(option, "name"));
        }
        return produced;
    }

    static Repartitioned<Object, Object> repartitioned(final JsonNode step) {
        final JsonNode option = step.get("repartitioned");
        if (option == null) {
            return null;
        }
        Repartitioned<Object, Object> result = Repartitioned.with(serde(option, "key"), serde(option, "value"));
        if (option.has("name")) {
            result = result.withName(text(option, "name"));
        }
        return result;
    }

    static Grouped<Object, Object> grouped(final JsonNode step) {
        final JsonNode option = step.get("grouped");
        return option == null
            ? null
            : Grouped.with(text(option, "name"), serde(option, "key"), serde(option, "value"));
    }

    static Joined<Object, Object, Object> joined(final JsonNode step) {
        final JsonNode option = step.get("joined");
        if (option == null) {
            return null;
        }
        Joined<Object, Object, Object> joined =
            Joined.with(serde(option, "key"), serde(option, "value"), serde(option, "other_value"));
        if (option.has("name")) {
            joined = joined.withName(text(option, "name"));
        }
        return option.has("grace") ? joined.withGracePeriod(duration(option, "grace")) : joined;
    }

    static StreamJoined<Object, Object, Object> streamJoined(final JsonNode step) {
        final JsonNode option = step.get("stream_joined");
        if (option == null) {
            return null;
        }
        StreamJoined<Object, Object, Object> joined =
            StreamJoined.with(serde(option, "key"), serde(option, "value"), serde(option, "other_value"));
        if (option.has("name")) {
            joined = joined.withName(text(option, "name"));
        }
        if (option.has("store_name")) {
            joined = joined.withStoreName(text(option, "store_name"));
        }
        if (option.has("store")) {
            joined = joined.withDslStoreSuppliers(suppliers(text(option, "store")));
        }
        return option.path("logging").asBoolean(true) ? joined : joined.withLoggingDisabled();
    }

    private static DslStoreSuppliers suppliers(final String store) {
        return store.equals("in_memory")
            ? new BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers()
            : new BuiltInDslStoreSuppliers.RocksDBDslStoreSuppliers();
    }

    /** The kind of store that the verb asks for is the verb's business: only a versioned one is asked for here. */
    @SuppressWarnings("unchecked")
    static <S extends StateStore> Materialized<Object, Object, S> materialized(final JsonNode step) {
        final JsonNode option = step.get("materialized");
        if (option == null) {
            return null;
        }
        Materialized<Object, Object, S> result;
        if (option.has("history")) {
            result = (Materialized<Object, Object, S>) (Materialized<?, ?, ?>) Materialized.<Object, Object>as(
                Stores.persistentVersionedKeyValueStore(text(option, "name"), duration(option, "history")));
        } else if (option.has("name")) {
            result = Materialized.as(text(option, "name"));
        } else {
            result = Materialized.with(null, null);
        }
        result = result.withKeySerde(serde(option, "key")).withValueSerde(serde(option, "value"));
        if (option.has("store")) {
            result = result.withStoreType(suppliers(text(option, "store")));
        }
        if (option.has("retention")) {
            result = result.withRetention(duration(option, "retention"));
        }
        if (!option.path("caching").asBoolean(true)) {
            result = result.withCachingDisabled();
        }
        return option.path("logging").asBoolean(true) ? result : result.withLoggingDisabled();
    }
}
