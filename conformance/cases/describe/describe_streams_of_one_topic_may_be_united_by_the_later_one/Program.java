import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** A second stream of a topic brings its children into the sub-topology of the first. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in").to("first");
        KStream<Object, Object> other = builder.stream("other");
        builder.stream("in").merge(other).to("second");
        return builder.build();
    }
}
