import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;

/** A partitioner's exception is handled by the node above the sink. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.<String, String>stream("in").peek((key, value) -> { });
        stream.to("out", Produced.streamPartitioner(Program::partition));
        return builder.build();
    }

    static Optional<Set<Integer>> partition(String topic, String key, String value, int partitions) {
        if (value.equals("bad")) {
            throw new IllegalStateException("no partition");
        }
        return Optional.of(Set.of(0));
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
        config.put("errors.dead.letter.queue.topic.name", "dead");
    }
}
