import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/**
 * Writes the metrics that Kafka Streams has for a program with every kind of store: name, group, tags, level and, of the
 * rates of store operations, how many operations there were. {@code every_store.py} is the same program in Python.
 *
 * <p>Usage: {@code MetricNames <output file> <state folder>}.
 */
public final class MetricNames {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** The wall clock of the driver stands still: a rate is a count over a window of this length. */
    private static final double WINDOW_SECONDS = 30.0;

    public static void main(final String[] arguments) throws Exception {
        final SortedSet<String> lines = new TreeSet<>();
        final Path state = Path.of(arguments[1]);
        try (TopologyTestDriver driver =
                new TopologyTestDriver(topology(), settings(state.resolve("driver")), Instant.ofEpochMilli(1_000))) {
            pipe(driver);
            write((Metrics) hidden(TopologyTestDriver.class, "metrics", driver), lines, true);
        }
        // Its threads find no broker; their metrics are there all the same.
        final KafkaStreams streams = new KafkaStreams(topology(), settings(state.resolve("streams")));
        streams.start();
        final Metrics metrics = (Metrics) hidden(KafkaStreams.class, "metrics", streams);
        while (metrics.metrics().keySet().stream().noneMatch(name -> name.group().contains("state-updater"))) {
            Thread.sleep(50);
        }
        write(metrics, lines, false);
        Files.write(Path.of(arguments[0]), lines);
        System.exit(0);
    }

    private static Properties settings(final Path state) {
        final Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "metrics");
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1");
        settings.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.METRICS_RECORDING_LEVEL_CONFIG, "TRACE");
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 1_000_000);
        return settings;
    }

    private static Topology topology() {
        final StreamsBuilder builder = new StreamsBuilder();
        final Duration ten = Duration.ofMillis(10);
        final Duration hundred = Duration.ofMillis(100);
        builder.addStateStore(Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore("plain"), Serdes.String(), Serdes.String()));
        builder.addStateStore(Stores.keyValueStoreBuilder(
            Stores.lruMap("limited", 10), Serdes.String(), Serdes.String()));
        builder.addStateStore(Stores.windowStoreBuilder(
            Stores.persistentWindowStore("plain-windows", hundred, ten, false), Serdes.String(), Serdes.String()));
        builder.addStateStore(Stores.sessionStoreBuilder(
            Stores.persistentSessionStore("plain-sessions", hundred), Serdes.String(), Serdes.String()));
        final Consumed<String, String> text = Consumed.with(Serdes.String(), Serdes.String());
        final KStream<String, String> stream = builder.stream("in", text);
        final KStream<String, String> other = builder.stream("other", text);
        final KTable<String, String> table = builder.table(
            "table", text, Materialized.<String, String>as(Stores.inMemoryKeyValueStore("table")).withCachingDisabled());
        final KTable<String, String> versioned = builder.table(
            "versioned", text, Materialized.as(Stores.persistentVersionedKeyValueStore("versioned", hundred)));
        final KGroupedStream<String, String> grouped = stream.groupByKey();
        grouped.reduce((one, two) -> two, Materialized.as("cached")).toStream().to("out");
        grouped.reduce((one, two) -> two, Named.as("reduce-in-memory"),
            Materialized.<String, String>as(Stores.inMemoryKeyValueStore("in-memory")).withCachingDisabled());
        grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(ten))
            .reduce((one, two) -> two, Materialized.as("windows"))
            .suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded()).withName("held"))
            .toStream().foreach((key, value) -> { });
        grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(ten)).emitStrategy(EmitStrategy.onWindowClose())
            .reduce((one, two) -> two, Named.as("closed"), Materialized.<String, String>as(
                Stores.inMemoryWindowStore("windows-in-memory", hundred, ten, false)).withCachingDisabled());
        grouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(ten))
            .reduce((one, two) -> two, Materialized.as("sessions"));
        grouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(ten))
            .reduce((one, two) -> two, Named.as("sessions-of-memory"), Materialized.<String, String>as(
                Stores.inMemorySessionStore("sessions-in-memory", hundred)).withCachingDisabled());
        stream.leftJoin(other, (one, two) -> one + two, JoinWindows.ofTimeDifferenceAndGrace(ten, ten),
            StreamJoined.<String, String, String>as("joined").withName("joined"));
        stream.join(table, (one, two) -> one + two);
        stream.join(versioned, (one, two) -> one + two);
        stream.process(UsesStores::new, Named.as("uses"), 
            "plain", "limited", "plain-windows", "plain-sessions");
        return builder.build();
    }

    /** Calls each operation of its stores, some of them more than once. */
    private static final class UsesStores extends ContextualProcessor<String, String, Void, Void> {
        private KeyValueStore<String, String> rows;
        private KeyValueStore<String, String> limited;
        private WindowStore<String, String> windows;
        private SessionStore<String, String> sessions;

        @Override
        public void init(final ProcessorContext<Void, Void> context) {
            super.init(context);
            rows = context.getStateStore("plain");
            limited = context.getStateStore("limited");
            windows = context.getStateStore("plain-windows");
            sessions = context.getStateStore("plain-sessions");
        }

        @Override
        public void process(final Record<String, String> record) {
            final String key = record.key();
            final long time = record.timestamp();
            rows.put(key, record.value());
            rows.putIfAbsent("once", "x");
            rows.putAll(List.of(KeyValue.pair("p", "1"), KeyValue.pair("q", "2")));
            rows.get(key);
            rows.get("nothing");
            rows.delete("q");
            drain(rows.range("a", "z"));
            drain(rows.reverseRange("a", "z"));
            drain(rows.all());
            drain(rows.reverseAll());
            drain(rows.prefixScan("o", new StringSerializer()));
            limited.put(key, record.value());
            limited.get(key);
            windows.put(key, record.value(), time);
            windows.fetch(key, time);
            drain(windows.fetch(key, time - 5, time));
            drain(windows.fetch("a", "z", time - 5, time));
            drain(windows.fetchAll(0, time));
            drain(windows.all());
            final Windowed<String> session = new Windowed<>(key, new SessionWindow(time, time + 1));
            sessions.put(session, record.value());
            sessions.fetchSession(key, time, time + 1);
            drain(sessions.findSessions(key, 0, time));
            drain(sessions.fetch(key));
            sessions.remove(session);
        }

        private static void drain(final KeyValueIterator<?, ?> rows) {
            try (rows) {
                rows.forEachRemaining(row -> { });
            }
        }
    }

    private static void pipe(final TopologyTestDriver driver) {
        final Map<String, TestInputTopic<String, String>> topics = new HashMap<>();
        for (final String name : List.of("in", "other", "table", "versioned")) {
            topics.put(name, driver.createInputTopic(name, new StringSerializer(), new StringSerializer()));
        }
        topics.get("table").pipeInput("a", "l", 1L);
        topics.get("versioned").pipeInput("a", "v", 1L);
        topics.get("other").pipeInput("a", "o", 2L);
        topics.get("in").pipeInput("a", "1", 3L);
        topics.get("in").pipeInput("b", "2", 4L);
        topics.get("in").pipeInput("a", "3", 5L);
        topics.get("in").pipeInput("a", "4", 50L);
        topics.get("in").pipeInput("c", "5", 45L);
    }

    private static void write(final Metrics metrics, final SortedSet<String> lines, final boolean ofTasks)
            throws Exception {
        final Map<MetricName, Sensor.RecordingLevel> levels = new HashMap<>();
        @SuppressWarnings("unchecked")
        final Map<String, Sensor> sensors = (Map<String, Sensor>) hidden(Metrics.class, "sensors", metrics);
        for (final Sensor sensor : sensors.values()) {
            final Object level = hidden(Sensor.class, "recordingLevel", sensor);
            @SuppressWarnings("unchecked")
            final Map<MetricName, KafkaMetric> its =
                (Map<MetricName, KafkaMetric>) hidden(Sensor.class, "metrics", sensor);
            its.keySet().forEach(name -> levels.put(name, (Sensor.RecordingLevel) level));
        }
        final Map<String, ObjectNode> rows = new TreeMap<>();
        final Map<MetricName, KafkaMetric> sorted = new TreeMap<>(Comparator.comparing(MetricName::name)
            .thenComparing(name -> name.group() + new TreeMap<>(name.tags())));
        sorted.putAll(metrics.metrics());
        for (final Map.Entry<MetricName, KafkaMetric> entry : sorted.entrySet()) {
            final MetricName name = entry.getKey();
            final KafkaMetric metric = entry.getValue();
            if (!name.group().startsWith("stream-") || ofTasks != name.tags().containsKey("task-id")) {
                continue;
            }
            final ObjectNode its = (ObjectNode) rowOf(name, rows).get("metrics");
            // A metric without a level of its own has that of all metrics, and is always there.
            final boolean always = metric.config() == metrics.config();
            final Sensor.RecordingLevel own = always ? Sensor.RecordingLevel.INFO : metric.config().recordLevel();
            final ArrayNode told = its.putArray(name.name()).add(levels.getOrDefault(name, own).toString());
            final Object value = metric.metricValue();
            if (name.group().equals("stream-state-metrics") && name.name().endsWith("-rate")) {
                told.add(Math.round((Double) value * WINDOW_SECONDS));
            } else if (name.name().endsWith("-total") && value instanceof Double) {
                told.add(Math.round((Double) value));
            }
        }
        for (final ObjectNode row : rows.values()) {
            lines.add(JSON.writeValueAsString(row));
        }
    }

    /** The line of all metrics that share a group and tags. */
    private static ObjectNode rowOf(final MetricName name, final Map<String, ObjectNode> rows) {
        final Map<String, String> tags = new TreeMap<>(name.tags());
        // Their values are made up at each start.
        List.of("thread-id", "process-id", "client-id").forEach(tag -> tags.computeIfPresent(tag, (key, value) -> "*"));
        return rows.computeIfAbsent(name.group() + tags, key -> {
            final ObjectNode row = JSON.createObjectNode().put("group", name.group());
            tags.forEach(row.putObject("tags")::put);
            row.putObject("metrics");
            return row;
        });
    }

    private static Object hidden(final Class<?> type, final String name, final Object owner) throws Exception {
        final Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }
}
