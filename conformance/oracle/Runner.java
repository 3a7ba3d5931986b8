import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The oracle: runs cases with the real Kafka Streams and writes what it did.
 *
 * <p>Usage: {@code Runner <cases folder> <output folder> [case name ...]}. For each case it writes
 * {@code expected.jsonl} and {@code topology.txt} into {@code <output folder>/<verb>/<case name>}; the two folders may be the
 * same. A case is called by its name alone: the runner looks for it in the folders of all verbs.
 */
public final class Runner {
    private static final List<String> ORDER =
        List.of("output", "stdout", "log", "dropped", "error", "close_error", "build_error", "stores",
            "unreadable");

    /** How far below the cases folder a program is: {@code <verb>/<case name>/Program.java}. */
    private static final int DEPTH = 3;

    private final PrintStream terminal = System.out;
    private final Path cases;
    private final Path output;

    private Runner(final Path cases, final Path output) {
        this.cases = cases;
        this.output = output;
    }

    public static void main(final String[] arguments) throws IOException {
        final Runner runner = new Runner(Path.of(arguments[0]), Path.of(arguments[1]));
        final List<String> names = Arrays.asList(arguments).subList(2, arguments.length);
        // Exit by force: a program may leave threads behind.
        System.exit(runner.run(names) ? 0 : 1);
    }

    /** The folders of the cases by name, relative to {@code cases}: {@code <verb>/<case name>}. */
    private SortedMap<String, Path> allFolders() throws IOException {
        final SortedMap<String, Path> folders = new TreeMap<>();
        try (Stream<Path> sources = Files.find(
                cases, DEPTH, (path, attributes) -> path.endsWith("Program.java"))) {
            for (final Path source : (Iterable<Path>) sources::iterator) {
                final Path folder = cases.relativize(source.getParent());
                final Path other = folders.put(folder.getFileName().toString(), folder);
                if (other != null) {
                    throw new IOException("two cases have the same name: " + other + ", " + folder);
                }
            }
        }
        return folders;
    }

    private boolean run(final List<String> wanted) throws IOException {
        final long start = System.nanoTime();
        final SortedMap<String, Path> folders = allFolders();
        final List<String> names = wanted.isEmpty() ? List.copyOf(folders.keySet()) : wanted;
        int failed = 0;
        try (ProgramLoader loader = new ProgramLoader()) {
            for (int i = 0; i < names.size(); i++) {
                final String name = names.get(i);
                String verdict;
                try {
                    verdict = record(loader, folderOf(name, folders)) + " lines";
                } catch (final Exception error) {
                    failed++;
                    verdict = "FAILED: " + (error.getMessage() == null ? error : error.getMessage());
                }
                terminal.printf("[%d/%d] %s: %s%n", i + 1, names.size(), name, verdict);
            }
        }
        final double seconds = (System.nanoTime() - start) / 1e9;
        terminal.printf("%d cases recorded, %d failed, %.1f s%n", names.size() - failed, failed, seconds);
        return failed == 0;
    }

    private Path folderOf(final String name, final Map<String, Path> folders) throws IOException {
        final Path folder = folders.get(name);
        if (folder == null) {
            throw new IOException("there is no " + cases + "/*/" + name + "/Program.java");
        }
        return folder;
    }

    private int record(final ProgramLoader loader, final Path place) throws Exception {
        final Path folder = cases.resolve(place);
        final Path source = folder.resolve("Program.java");
        final List<JsonNode> steps = steps(folder.resolve("input.jsonl"));
        final Path stateDir = Files.createTempDirectory("penstock-oracle-");
        try {
            final CaseRun run = new CaseRun(stateDir);
            final Case program = loader.load(source);
            program.standIn(folder);
            run.run(program, steps);
            write(output.resolve(place), run);
            return run.lines().size();
        } finally {
            delete(stateDir);
        }
    }

    private static List<JsonNode> steps(final Path input) throws IOException {
        final List<JsonNode> steps = new ArrayList<>();
        if (Files.exists(input)) {
            int number = 0;
            for (final String line : Files.readAllLines(input)) {
                number++;
                if (!line.isBlank()) {
                    steps.add(step(line, number));
                }
            }
        }
        return steps;
    }

    private static JsonNode step(final String line, final int number) throws IOException {
        final JsonNode step;
        try {
            step = Wire.JSON.readTree(line);
            if (!step.has("advance_wall_clock")) {
                step.required("topic");
                Wire.bytes(step.get("key"));
                Wire.bytes(step.get("value"));
                Wire.headers(step.get("headers"));
            }
        } catch (final IOException | IllegalArgumentException error) {
            throw new IOException("input.jsonl line " + number + ": " + error.getMessage(), error);
        }
        return step;
    }

    private static void write(final Path folder, final CaseRun run) throws IOException {
        Files.createDirectories(folder);
        final StringBuilder text = new StringBuilder();
        for (final ObjectNode line : run.lines()) {
            text.append(Wire.JSON.writeValueAsString(tidy(line))).append('\n');
        }
        Files.writeString(folder.resolve("expected.jsonl"), text);
        final Path topology = folder.resolve("topology.txt");
        if (run.description() == null) {
            Files.deleteIfExists(topology);
        } else {
            Files.writeString(topology, run.description());
        }
    }

    /** The same parts in the same order on every line, empty ones left out. */
    static ObjectNode tidy(final ObjectNode line) {
        final ObjectNode tidy = Wire.JSON.createObjectNode();
        for (final String part : ORDER) {
            final JsonNode value = line.get(part);
            if (value != null && !(value.isContainerNode() && value.isEmpty())) {
                tidy.set(part, value);
            }
        }
        return tidy;
    }

    static void delete(final Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (final Path path : paths.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) {
                Files.delete(path);
            }
        }
    }
}
