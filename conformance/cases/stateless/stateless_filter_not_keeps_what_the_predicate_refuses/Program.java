import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** filter_not keeps exactly the records that filter drops. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.filter((key, value) -> value != null && value.compareTo(key) > 0).to("kept");
        stream.filterNot((key, value) -> value != null && value.compareTo(key) > 0).to("refused");
        return builder.build();
    }
}
