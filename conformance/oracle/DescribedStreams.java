import static java.util.stream.Collectors.toList;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.BranchedKStream;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.ForeachAction;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KeyValueMapper;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Printed;
import org.apache.kafka.streams.kstream.ValueMapper;
import org.apache.kafka.streams.kstream.ValueMapperWithKey;
import org.apache.kafka.streams.processor.TopicNameExtractor;
import org.apache.kafka.streams.state.KeyValueStore;

/** Sources, and the verbs of a stream but its joins. */
final class DescribedStreams {
    private final StreamsBuilder builder;
    private final Map<String, Object> results;
    private final Log log;

    DescribedStreams(final StreamsBuilder builder, final Map<String, Object> results, final Log log) {
        this.builder = builder;
        this.results = results;
        this.log = log;
    }

    Object source(final JsonNode step) {
        final Consumed<Object, Object> consumed = DescribedOptions.consumed(step);
        if (step.get("verb").textValue().equals("stream")) {
            final List<String> topics = StreamSupport.stream(step.get("topics").spliterator(), false)
                .map(JsonNode::textValue)
                .collect(toList());
            return consumed == null ? builder.stream(topics) : builder.stream(topics, consumed);
        }
        final String topic = step.get("topic").textValue();
        final Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> store = DescribedOptions.materialized(step);
        if (step.get("verb").textValue().equals("table")) {
            if (store == null) {
                return consumed == null ? builder.table(topic) : builder.table(topic, consumed);
            }
            return consumed == null ? builder.table(topic, store) : builder.table(topic, consumed, store);
        }
        if (store == null) {
            return consumed == null ? builder.globalTable(topic) : builder.globalTable(topic, consumed);
        }
        return consumed == null ? builder.globalTable(topic, store) : builder.globalTable(topic, consumed, store);
    }

    Object apply(final JsonNode step, final KStream<Object, Object> stream) {
        final String function = DescribedOptions.text(step, "f");
        final Named named = DescribedOptions.named(step);
        switch (step.get("verb").textValue()) {
            case "filter":
                return stream.filter(FuzzFunctions.PREDICATES.get(function)::apply, named);
            case "filter_not":
                return stream.filterNot(FuzzFunctions.PREDICATES.get(function)::apply, named);
            case "map":
                return stream.map(pair(step), named);
            case "map_values":
                return stream.mapValues((ValueMapper<Object, Object>) FuzzFunctions.MAPPERS.get(function)::apply, named);
            case "map_values_with_key":
                return stream.mapValues(
                    (ValueMapperWithKey<Object, Object, Object>) FuzzFunctions.KEY_MAPPERS.get(function)::apply, named);
            case "flat_map":
                return stream.flatMap(FuzzFunctions.PAIR_EXPANDERS.get(function)::apply, named);
            case "flat_map_values":
                return stream.flatMapValues(
                    (ValueMapper<Object, List<Object>>) FuzzFunctions.EXPANDERS.get(function)::apply, named);
            case "flat_map_values_with_key":
                return stream.flatMapValues(
                    (ValueMapperWithKey<Object, Object, List<Object>>) FuzzFunctions.KEY_EXPANDERS.get(function)::apply,
                    named);
            case "select_key":
                return stream.selectKey(FuzzFunctions.SELECTORS.get(function)::apply, named);
            case "peek":
                return stream.peek(logged(step), named);
            case "merge":
                return stream.merge(Raw.stream(other(step)), named);
            case "split":
                return split(step, stream.split(named));
            case "join":
            case "left_join":
            case "outer_join":
                return DescribedJoins.ofStream(step, stream, other(step));
            case "process":
            case "process_values":
                return DescribedProcessors.apply(step, stream, builder);
            default:
                return end(step, stream, named);
        }
    }

    /** Verbs after which it is no stream any more. */
    private Object end(final JsonNode step, final KStream<Object, Object> stream, final Named named) {
        switch (step.get("verb").textValue()) {
            case "for_each":
                stream.foreach(logged(step), named);
                return null;
            case "print":
                stream.print(printed(step));
                return null;
            case "to":
                to(step, stream);
                return null;
            case "repartition":
                return step.has("repartitioned")
                    ? stream.repartition(DescribedOptions.repartitioned(step))
                    : stream.repartition();
            case "group_by_key":
                return step.has("grouped") ? stream.groupByKey(DescribedOptions.grouped(step)) : stream.groupByKey();
            case "group_by":
                final KeyValueMapper<Object, Object, Object> selector =
                    FuzzFunctions.SELECTORS.get(DescribedOptions.text(step, "f"))::apply;
                return step.has("grouped")
                    ? stream.groupBy(selector, DescribedOptions.grouped(step))
                    : stream.groupBy(selector);
            case "to_table":
                return step.has("materialized")
                    ? stream.toTable(named, DescribedOptions.materialized(step))
                    : stream.toTable(named);
            default:
                throw new IllegalArgumentException("no verb of a stream: " + step);
        }
    }

    static KeyValueMapper<Object, Object, KeyValue<Object, Object>> pair(final JsonNode step) {
        final var selector = FuzzFunctions.SELECTORS.get(DescribedOptions.text(step, "key"));
        final var mapper = FuzzFunctions.KEY_MAPPERS.get(DescribedOptions.text(step, "value"));
        return (key, value) -> KeyValue.pair(selector.apply(key, value), mapper.apply(key, value));
    }

    private Object other(final JsonNode step) {
        return results.get(step.get("with").textValue());
    }

    private ForeachAction<Object, Object> logged(final JsonNode step) {
        final String label = DescribedOptions.text(step, "label");
        return (key, value) -> log.add(label + ": " + FuzzFunctions.text(key) + "=" + FuzzFunctions.text(value));
    }

    private static Printed<Object, Object> printed(final JsonNode step) {
        Printed<Object, Object> printed = Printed.toSysOut();
        printed = printed.withKeyValueMapper((key, value) -> FuzzFunctions.text(key) + "=" + FuzzFunctions.text(value));
        if (step.has("label")) {
            printed = printed.withLabel(DescribedOptions.text(step, "label"));
        }
        return step.has("named") ? printed.withName(DescribedOptions.text(step, "named")) : printed;
    }

    /** A topic of its own for each letter that {@code topic_by} gives, or one for all. */
    private static void to(final JsonNode step, final KStream<Object, Object> stream) {
        if (step.has("topic_by")) {
            final var selector = FuzzFunctions.SELECTORS.get(DescribedOptions.text(step, "topic_by"));
            final TopicNameExtractor<Object, Object> topic =
                (key, value, context) -> "out-of-" + FuzzFunctions.text(selector.apply(key, value));
            if (step.has("produced")) {
                stream.to(topic, DescribedOptions.produced(step));
            } else {
                stream.to(topic);
            }
            return;
        }
        final String topic = step.get("topic").textValue();
        if (step.has("produced")) {
            stream.to(topic, DescribedOptions.produced(step));
        } else {
            stream.to(topic);
        }
    }

    /** Each branch is a result of its own; the split itself has none. */
    private Object split(final JsonNode step, final BranchedKStream<Object, Object> split) {
        for (final JsonNode branch : step.get("branches")) {
            final Branched<Object, Object> branched = branched(branch);
            if (branch.has("f")) {
                split.branch(FuzzFunctions.PREDICATES.get(DescribedOptions.text(branch, "f"))::apply, branched);
            } else {
                split.defaultBranch(branched);
                return null;
            }
        }
        split.noDefaultBranch();
        return null;
    }

    private Branched<Object, Object> branched(final JsonNode branch) {
        return Branched.withConsumer(
            stream -> results.put(branch.get("id").textValue(), stream), DescribedOptions.text(branch, "name"));
    }
}
