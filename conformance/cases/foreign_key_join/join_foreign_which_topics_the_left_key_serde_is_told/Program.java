import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Produced;

/**
 * The serde of the left keys is told the topics of the join, and for the store of
 * subscriptions a made-up one.
 */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        Set<String> told = new HashSet<>();
        KTable<String, String> left = builder.table("left", Consumed.with(telling(told, log), Serdes.String()));
        KTable<String, String> right = builder.table("right", Consumed.with(Serdes.String(), Serdes.String()));
        left.join(right, Program::foreignKey, Program::joined)
            .toStream().to("out", Produced.with(Serdes.String(), Serdes.String()));
    }

    static String foreignKey(String value) {
        int bar = value.indexOf('|');
        return bar < 0 || bar == value.length() - 1 ? null : value.substring(bar + 1);
    }

    static String joined(String left, String right) {
        return "(" + left + "," + right + ")";
    }

    static Serde<String> telling(Set<String> told, Log log) {
        return Serdes.serdeFrom(
            (topic, value) -> {
                if (told.add(topic)) {
                    log.add(topic);
                }
                return value == null ? null : value.getBytes(StandardCharsets.UTF_8);
            },
            (topic, data) -> data == null ? null : new String(data, StandardCharsets.UTF_8));
    }
}
