import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.kstream.ValueTransformerWithKeySupplier;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** Verbs that take code of the user's own; {@code processors.py} is the twin. Their stores hold strings. */
final class DescribedProcessors {
    private DescribedProcessors() {}

    static Object apply(final JsonNode step, final KStream<Object, Object> stream, final StreamsBuilder builder) {
        final String store = addStore(step.get("store"), builder);
        if (step.get("verb").textValue().equals("process_values")) {
            final FixedKeyProcessorSupplier<Object, Object, Object> counter = () -> new CounterOfValues(store);
            return step.has("named")
                ? stream.processValues(counter, DescribedOptions.named(step), store)
                : stream.processValues(counter, store);
        }
        final ProcessorSupplier<Object, Object, Object, Object> supplier = step.get("f").textValue().equals("hold")
            ? () -> new Holder(store, step.get("timer"))
            : () -> new Counter(store);
        return step.has("named")
            ? stream.process(supplier, DescribedOptions.named(step), store)
            : stream.process(supplier, store);
    }

    static String addStore(final JsonNode option, final StreamsBuilder builder) {
        final String name = option.get("name").textValue();
        if (option.has("shared")) {
            return name;
        }
        StoreBuilder<KeyValueStore<String, String>> store = Stores.keyValueStoreBuilder(
            option.get("store").textValue().equals("in_memory")
                ? Stores.inMemoryKeyValueStore(name)
                : Stores.persistentKeyValueStore(name),
            Serdes.String(),
            Serdes.String());
        if (option.path("caching").asBoolean(false)) {
            store = store.withCachingEnabled();
        }
        builder.addStateStore(option.path("logging").asBoolean(true) ? store : store.withLoggingDisabled());
        return name;
    }

    private static long count(final KeyValueStore<String, String> counts, final Object key) {
        final String known = counts.get(FuzzFunctions.text(key));
        final long count = known == null ? 1 : Long.parseLong(known) + 1;
        counts.put(FuzzFunctions.text(key), String.valueOf(count));
        return count;
    }

    /** Replaces each value by how many records its key has had. */
    private static final class Counter extends ContextualProcessor<Object, Object, Object, Object> {
        private final String store;

        Counter(final String store) {
            this.store = store;
        }

        @Override
        public void process(final Record<Object, Object> record) {
            final KeyValueStore<String, String> counts = context().getStateStore(store);
            context().forward(record.withValue(count(counts, record.key())));
        }
    }

    /** The same for a stream whose keys stay. */
    private static final class CounterOfValues extends ContextualFixedKeyProcessor<Object, Object, Object> {
        private final String store;

        CounterOfValues(final String store) {
            this.store = store;
        }

        @Override
        public void process(final FixedKeyRecord<Object, Object> record) {
            final KeyValueStore<String, String> counts = context().getStateStore(store);
            context().forward(record.withValue(count(counts, record.key())));
        }
    }

    /** Holds the latest value of each key back until a timer fires. */
    private static final class Holder extends ContextualProcessor<Object, Object, Object, Object> {
        private final String store;
        private final JsonNode timer;
        private KeyValueStore<String, String> held;

        Holder(final String store, final JsonNode timer) {
            this.store = store;
            this.timer = timer;
        }

        @Override
        public void init(final ProcessorContext<Object, Object> context) {
            super.init(context);
            held = context.getStateStore(store);
            final PunctuationType type = timer.get("kind").textValue().equals("stream")
                ? PunctuationType.STREAM_TIME
                : PunctuationType.WALL_CLOCK_TIME;
            context.schedule(Duration.ofMillis(timer.get("interval").longValue()), type, this::release);
        }

        @Override
        public void process(final Record<Object, Object> record) {
            held.put(FuzzFunctions.text(record.key()), FuzzFunctions.text(record.value()));
        }

        private void release(final long time) {
            final List<KeyValue<String, String>> all = new ArrayList<>();
            try (KeyValueIterator<String, String> rows = held.all()) {
                rows.forEachRemaining(all::add);
            }
            for (final KeyValue<String, String> row : all) {
                context().forward(new Record<>(row.key, row.value, time));
                held.delete(row.key);
            }
        }
    }

    static Object transformValues(
        final JsonNode step,
        final KTable<Object, Object> table,
        final Named named,
        final Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> store,
        final StreamsBuilder builder) {
        final var function = FuzzFunctions.KEY_MAPPERS.get(DescribedOptions.text(step, "f"));
        final String counts = step.has("store") ? addStore(step.get("store"), builder) : null;
        final ValueTransformerWithKeySupplier<Object, Object, Object> supplier = () -> new Transformer(function, counts);
        if (counts != null) {
            return table.transformValues(supplier, store, named, counts);
        }
        return store == null
            ? table.transformValues(supplier, named)
            : table.transformValues(supplier, store, named);
    }

    /** Applies a function; with a store, each third value of a key is lost. */
    private static final class Transformer implements ValueTransformerWithKey<Object, Object, Object> {
        private final BiFunction<Object, Object, Object> function;
        private final String store;
        private org.apache.kafka.streams.processor.ProcessorContext context;

        Transformer(final BiFunction<Object, Object, Object> function, final String store) {
            this.function = function;
            this.store = store;
        }

        @Override
        public void init(final org.apache.kafka.streams.processor.ProcessorContext context) {
            this.context = context;
        }

        @Override
        public Object transform(final Object key, final Object value) {
            if (store != null && count(context.getStateStore(store), key) % 3 == 0) {
                return null;
            }
            return function.apply(key, value);
        }

        @Override
        public void close() {}
    }
}
