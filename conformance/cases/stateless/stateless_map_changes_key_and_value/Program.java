import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** map gives a new key and a new value; either may be null, the timestamp stays. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").map((key, value) -> KeyValue.pair(value, key)).to("out");
        return builder.build();
    }
}
