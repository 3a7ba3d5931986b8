import java.util.Optional;
import java.util.Set;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.StreamPartitioner;

/** The partitioner of a repartition is asked for each record that has a key. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        StreamPartitioner<String, String> partitioner = (topic, key, value, partitions) -> {
            log.add(topic + " " + key + " " + value + " " + partitions);
            return Optional.of(Set.of(0));
        };
        builder.<String, String>stream("in")
            .repartition(Repartitioned.<String, String>as("mine").withStreamPartitioner(partitioner)).to("out");
        return builder.build();
    }
}
