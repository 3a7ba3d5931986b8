import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/** for_each is called for each record and gives nothing on; its siblings still see the record. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.foreach((key, value) -> log.add(key + " is " + value));
        stream.to("out");
        return builder.build();
    }
}
