import java.util.Optional;
import java.util.Set;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.StreamPartitioner;

/** A partitioner that gives the empty set drops the record, and it is counted. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        StreamPartitioner<String, String> partitioner = (topic, key, value, partitions) ->
            Optional.of("drop".equals(value) ? Set.of() : Set.of(0));
        builder.<String, String>stream("in").to("out", Produced.streamPartitioner(partitioner));
        return builder.build();
    }
}
