import java.util.Collections;
import java.util.List;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Named;

/** A record with null key and null value passes through every stateless verb. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .filter((key, value) -> true)
            .filterNot((key, value) -> false)
            .map((key, value) -> KeyValue.pair(key, value))
            .mapValues(value -> value)
            .flatMap((key, value) -> List.of(KeyValue.pair(key, value)))
            .flatMapValues(value -> Collections.singletonList(value))
            .selectKey((key, value) -> key)
            .peek((key, value) -> log.add(key == null && value == null ? "null" : "something"))
            .split(Named.as("split-"))
            .branch((key, value) -> true)
            .noDefaultBranch().get("split-1")
            .to("out");
        return builder.build();
    }
}
