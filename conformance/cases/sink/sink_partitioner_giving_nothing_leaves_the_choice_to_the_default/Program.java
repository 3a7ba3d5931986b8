import java.util.Optional;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Produced;

/** A partitioner may leave the choice to Kafka's own. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .to("out", Produced.streamPartitioner((topic, key, value, partitions) -> Optional.empty()));
        return builder.build();
    }
}
