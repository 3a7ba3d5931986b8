import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.StreamPartitioner;

/** A partitioner that gives several partitions has the record written once to each. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        StreamPartitioner<String, String> partitioner = (topic, key, value, partitions) ->
            Optional.of(Stream.of(value.split("")).map(Integer::valueOf).collect(Collectors.toSet()));
        builder.<String, String>stream("in").to("out", Produced.streamPartitioner(partitioner));
        return builder.build();
    }
}
