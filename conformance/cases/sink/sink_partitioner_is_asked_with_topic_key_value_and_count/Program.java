import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.StreamPartitioner;

/** A partitioner sees the chosen topic, the key and value as objects and the partition count. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        StreamPartitioner<Integer, String> partitioner = (topic, key, value, partitions) -> {
            log.add(topic + " " + (key + 1) + " " + value + " " + partitions);
            return Optional.of(Set.of(0));
        };
        builder.<String, String>stream("in").map((key, value) -> KeyValue.pair(key.length(), value)).to(
            (key, value, context) -> "out-" + value,
            Produced.<Integer, String>streamPartitioner(partitioner).withKeySerde(Serdes.Integer())
        );
        return builder.build();
    }
}
