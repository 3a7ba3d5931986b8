import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;

/** Each repartition starts a new sub-topology. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .selectKey((key, value) -> value.substring(0, 1))
            .repartition(Repartitioned.as("first"))
            .mapValues(value -> value + "1")
            .selectKey((key, value) -> value.substring(1, 2))
            .repartition(Repartitioned.as("second"))
            .mapValues(value -> value + "2")
            .repartition(Repartitioned.as("third"))
            .to("out");
        return builder.build();
    }
}
