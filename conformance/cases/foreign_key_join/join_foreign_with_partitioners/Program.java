import java.util.Optional;
import java.util.Set;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.TableJoined;

/**
 * TableJoined's partitioners are asked for both ways, with the topic, the key, no value and
 * the number of partitions.
 */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.table("right");
        left.join(
            right,
            Program::foreignKey,
            Program::joined,
            TableJoined.with(
                (topic, key, value, partitions) -> {
                    log.add(topic + " " + key + " " + (value == null ? "None" : value) + " " + partitions);
                    return Optional.of(Set.of(0));
                },
                (topic, key, value, partitions) -> {
                    log.add("other " + topic + " " + key + " " + (value == null ? "None" : value) + " " + partitions);
                    return Optional.of(Set.of(0));
                }))
            .toStream().to("out");
    }

    static String foreignKey(String value) {
        int bar = value.indexOf('|');
        return bar < 0 || bar == value.length() - 1 ? null : value.substring(bar + 1);
    }

    static String joined(String left, String right) {
        return "(" + left + "," + right + ")";
    }
}
