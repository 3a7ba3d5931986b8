import static org.apache.kafka.streams.StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.CogroupedKStream;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/**
 * A program that is a piece of JSON: steps, each a verb, what it is applied to and its options. {@code interpret.py} is
 * its twin; {@code conformance/fuzz/description.py} says how a description is written.
 */
public class DescribedProgram implements Case {
    private final Map<String, Object> results = new HashMap<>();
    private JsonNode description;

    /** The program of a case whose {@code program.json} holds the description. */
    public DescribedProgram() {}

    DescribedProgram(final JsonNode description) {
        this.description = description;
    }

    @Override
    public void standIn(final Path folder) throws IOException {
        description = Wire.JSON.readTree(folder.resolve("program.json").toFile());
    }

    @Override
    public Topology topology(final Log log) {
        final StreamsBuilder builder = new StreamsBuilder();
        final DescribedStreams streams = new DescribedStreams(builder, results, log);
        final DescribedTables tables = new DescribedTables(builder, results);
        final DescribedGroups groups = new DescribedGroups(results);
        for (final JsonNode step : description.get("steps")) {
            final Object result = apply(step, streams, tables, groups);
            if (step.has("id")) {
                results.put(step.get("id").textValue(), result);
            }
        }
        final Properties config = new Properties();
        configure(config);
        return builder.build(config);
    }

    private Object apply(
        final JsonNode step, final DescribedStreams streams, final DescribedTables tables, final DescribedGroups groups) {
        final Object of = step.has("of") ? results.get(step.get("of").textValue()) : null;
        if (of == null) {
            return streams.source(step);
        }
        if (of instanceof KStream) {
            return streams.apply(step, Raw.stream(of));
        }
        if (of instanceof KTable) {
            return tables.apply(step, Raw.table(of));
        }
        if (of instanceof KGroupedStream) {
            return groups.ofStream(step, Raw.grouped(of));
        }
        if (of instanceof KGroupedTable) {
            return groups.ofTable(step, Raw.groupedTable(of));
        }
        if (of instanceof CogroupedKStream) {
            return groups.ofCogrouped(step, Raw.cogrouped(of));
        }
        return groups.ofWindowed(step, of);
    }

    @Override
    public void configure(final Properties config) {
        description.path("config").properties().forEach(entry -> {
            final boolean goesOn = entry.getValue().asText().equals("continue");
            config.put(
                entry.getKey(),
                goesOn ? LogAndContinueProcessingExceptionHandler.class.getName() : entry.getValue().asText());
        });
        config.putIfAbsent(STATESTORE_CACHE_MAX_BYTES_CONFIG, "0");
    }
}
