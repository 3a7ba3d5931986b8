import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.AggregationWithHeaders;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.ValueTimestampHeaders;
import org.apache.kafka.streams.state.WindowStore;

/**
 * The oracle of described programs: a description a line comes in, a line with what Java made of it goes out. One
 * process serves thousands, and the search for a smaller program that still shows a difference.
 */
public final class FuzzRunner {
    /** Parts of the names of stores that joins keep for themselves. */
    private static final List<String> NOT_THE_PROGRAM_S = List.of("shared", "subscription");

    private static final Pattern SIDE_OF_A_JOIN = Pattern.compile("(?i)(join|outer)-?(this|other)|(this|other)-join");

    private FuzzRunner() {}

    public static void main(final String[] arguments) throws IOException {
        final PrintStream terminal = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        final BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            terminal.println(Wire.JSON.writeValueAsString(observe(Wire.JSON.readTree(line))));
        }
        System.exit(0);
    }

    private static ObjectNode observe(final JsonNode description) throws IOException {
        final List<JsonNode> steps = new ArrayList<>();
        description.get("input").forEach(steps::add);
        final Path stateDir = Files.createTempDirectory("penstock-fuzz-");
        try {
            final CaseRun run = new CaseRun(stateDir, FuzzRunner::lookIntoStores);
            run.run(new DescribedProgram(description), steps);
            final ObjectNode seen = Wire.JSON.createObjectNode();
            final ArrayNode lines = seen.putArray("lines");
            run.lines().forEach(line -> lines.add(Runner.tidy(line)));
            seen.put("topology", run.description());
            return seen;
        } finally {
            Runner.delete(stateDir);
        }
    }

    private static void lookIntoStores(final TopologyTestDriver driver, final ObjectNode line) {
        final Map<String, StateStore> stores = new TreeMap<>(driver.getAllStateStores());
        stores.forEach((name, store) -> {
            final KeyValueIterator<?, ?> rows = rows(store);
            if (rows == null) {
                return;
            }
            final ArrayNode array = Wire.JSON.createArrayNode();
            try (rows) {
                rows.forEachRemaining(row -> array.add(row(name, row)));
                line.withObject("/stores").set(name, array);
            } catch (final IllegalArgumentException noSuchWindow) {
                // The store of a join whose windows have no length: Java cannot list windows that end where they begin.
                line.withArray("/unreadable").add(name);
            }
        });
    }

    /** The rows of a store whose keys and values are the program's, null for the others. */
    private static KeyValueIterator<?, ?> rows(final StateStore store) {
        final String name = store.name().toLowerCase(Locale.ROOT);
        if (NOT_THE_PROGRAM_S.stream().anyMatch(name::contains)) {
            return null;
        }
        if (store instanceof KeyValueStore) {
            return ((KeyValueStore<?, ?>) store).all();
        }
        if (store instanceof WindowStore) {
            return ((WindowStore<?, ?>) store).all();
        }
        return store instanceof SessionStore ? ((SessionStore<?, ?>) store).fetch(null, null) : null;
    }

    private static ArrayNode row(final String store, final KeyValue<?, ?> row) {
        final ArrayNode array = Wire.JSON.createArrayNode().add(FuzzFunctions.text(row.key));
        if (row.value instanceof ValueAndTimestamp) {
            final ValueAndTimestamp<?> value = (ValueAndTimestamp<?>) row.value;
            return array.add(FuzzFunctions.text(value.value())).add(value.timestamp());
        }
        if (row.value instanceof ValueTimestampHeaders) {
            final ValueTimestampHeaders<?> value = (ValueTimestampHeaders<?>) row.value;
            array.add(FuzzFunctions.text(value.value()));
            // Both sides of a join of streams are kept in such stores whatever the settings say.
            return SIDE_OF_A_JOIN.matcher(store).find()
                ? array
                : headers(array.add(value.timestamp()), value.headers());
        }
        if (row.value instanceof AggregationWithHeaders) {
            final AggregationWithHeaders<?> value = (AggregationWithHeaders<?>) row.value;
            return headers(array.add(FuzzFunctions.text(value.aggregation())), value.headers());
        }
        return array.add(FuzzFunctions.text(row.value));
    }

    private static ArrayNode headers(final ArrayNode array, final Headers headers) {
        headers.forEach(header -> array.add(header.key() + "="
            + (header.value() == null ? "null" : new String(header.value(), StandardCharsets.UTF_8))));
        return array;
    }
}
