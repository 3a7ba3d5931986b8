import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** A record reaches a merge along both ways, first by the node that was drawn first. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        KStream<String, String> upper = stream.mapValues(value -> value.toUpperCase());
        upper.merge(stream).to("upper-first");
        stream.merge(upper).to("stream-first");
        return builder.build();
    }
}
