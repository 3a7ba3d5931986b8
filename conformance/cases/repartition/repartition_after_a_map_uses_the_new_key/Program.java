import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;

/** The internal topic holds the new key; the record keeps its timestamp. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .map((key, value) -> KeyValue.pair(value, key))
            .repartition(Repartitioned.as("swapped"))
            .mapValues((key, value) -> key + (value == null ? "-" : value))
            .to("out");
        return builder.build();
    }
}
