import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.test.TestRecord;

/**
 * One program through the real test driver, seen from outside: after each step, what came out, what was printed, what
 * the program logged, how many records were dropped so far. The Python side observes in the same order.
 */
final class CaseRun {
    private final List<ObjectNode> lines = new ArrayList<>();
    private final List<String> logged = new ArrayList<>();
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final Path stateDir;
    private final BiConsumer<TopologyTestDriver, ObjectNode> lookBeforeClosing;
    private String description;

    CaseRun(final Path stateDir) {
        this(stateDir, (driver, line) -> {});
    }

    /** What {@code lookBeforeClosing} sees of the driver when all steps went well, it adds to the last line. */
    CaseRun(final Path stateDir, final BiConsumer<TopologyTestDriver, ObjectNode> lookBeforeClosing) {
        this.stateDir = stateDir;
        this.lookBeforeClosing = lookBeforeClosing;
    }

    /** One JSON object per step. */
    List<ObjectNode> lines() {
        return lines;
    }

    /** The text of {@code describe()}, or null if the topology could not be built. */
    String description() {
        return description;
    }

    void run(final Case program, final List<JsonNode> steps) {
        final PrintStream terminal = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            final Topology topology = build(program);
            if (topology != null) {
                final Properties config = defaults();
                program.configure(config);
                drive(topology, config, steps);
            }
        } finally {
            System.setOut(terminal);
        }
    }

    private Topology build(final Case program) {
        try {
            final Topology topology = program.topology(logged::add);
            description = topology.describe().toString()
                .replaceAll("\\(extractor class: [^)]*\\)", "(extractor class: *)");
            return topology;
        } catch (final Throwable error) {
            newLine().put("build_error", nameOf(error));
            return null;
        }
    }

    private Properties defaults() {
        final Properties config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, "conformance");
        config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        config.put(StreamsConfig.STATE_DIR_CONFIG, stateDir.toString());
        return config;
    }

    private void drive(final Topology topology, final Properties config, final List<JsonNode> steps) {
        final TopologyTestDriver driver;
        try {
            driver = new TopologyTestDriver(topology, config, Instant.EPOCH);
        } catch (final Throwable error) {
            newLine().put("error", nameOf(error));
            observeProgram();
            return;
        }
        boolean failed = false;
        for (final JsonNode step : steps) {
            newLine();
            failed = !perform(driver, step);
            observeDriver(driver);
            observeProgram();
            if (failed) {
                break;
            }
        }
        if (lines.isEmpty()) {
            newLine();
        }
        if (!failed) {
            lookBeforeClosing.accept(driver, line());
        }
        close(driver, failed);
    }

    private boolean perform(final TopologyTestDriver driver, final JsonNode step) {
        try {
            if (step.has("advance_wall_clock")) {
                driver.advanceWallClockTime(Duration.ofMillis(step.get("advance_wall_clock").longValue()));
            } else {
                // An Instant, not a long: the driver lets a negative one through, and brokers do hold such records.
                final Instant time = Instant.ofEpochMilli(step.path("timestamp").asLong(0));
                final byte[] key = Wire.bytes(step.get("key"));
                final byte[] value = Wire.bytes(step.get("value"));
                driver
                    .createInputTopic(step.get("topic").textValue(), new ByteArraySerializer(), new ByteArraySerializer())
                    .pipeInput(new TestRecord<>(key, value, Wire.headers(step.get("headers")), time));
            }
            return true;
        } catch (final Throwable error) {
            line().put("error", nameOf(error));
            return false;
        }
    }

    private void close(final TopologyTestDriver driver, final boolean failed) {
        try {
            driver.close();
        } catch (final Throwable error) {
            // After a failed step the task is in no state to close well; that is no news.
            if (!failed) {
                line().put("close_error", nameOf(error));
            }
        }
        if (!failed) {
            observeOutput(driver);
        }
        observeProgram();
    }

    private void observeDriver(final TopologyTestDriver driver) {
        observeOutput(driver);
        final long dropped = dropped(driver);
        if (dropped > 0) {
            line().put("dropped", dropped);
        }
    }

    private void observeOutput(final TopologyTestDriver driver) {
        for (final String topic : new TreeSet<>(driver.producedTopicNames())) {
            final List<TestRecord<byte[], byte[]>> records = driver
                .createOutputTopic(topic, new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .readRecordsToList();
            if (!records.isEmpty()) {
                final ArrayNode array = line().withObject("/output").withArray(topic);
                records.forEach(record -> array.add(json(record)));
            }
        }
    }

    private void observeProgram() {
        printed.toString(StandardCharsets.UTF_8).lines().forEach(line().withArray("stdout")::add);
        printed.reset();
        logged.forEach(line().withArray("log")::add);
        logged.clear();
    }

    private ObjectNode newLine() {
        lines.add(Wire.JSON.createObjectNode());
        return line();
    }

    private ObjectNode line() {
        return lines.get(lines.size() - 1);
    }

    private static ObjectNode json(final TestRecord<byte[], byte[]> record) {
        final ObjectNode node = Wire.JSON.createObjectNode();
        node.set("key", Wire.json(record.key()));
        node.set("value", Wire.json(record.value()));
        node.put("timestamp", record.timestamp());
        final ArrayNode headers = Wire.json(record.headers());
        if (!headers.isEmpty()) {
            node.set("headers", headers);
        }
        return node;
    }

    private static long dropped(final TopologyTestDriver driver) {
        return (long) driver.metrics().values().stream()
            .filter(metric -> metric.metricName().group().equals("stream-task-metrics"))
            .filter(metric -> metric.metricName().name().equals("dropped-records-total"))
            .map(Metric::metricValue)
            .mapToDouble(value -> (Double) value)
            .sum();
    }

    private static String nameOf(final Throwable error) {
        return error.getClass().getSimpleName();
    }
}
