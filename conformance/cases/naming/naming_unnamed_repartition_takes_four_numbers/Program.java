import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;

/** An unnamed repartition() uses up four numbers, a named one three. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .repartition()
            .mapValues(value -> value)
            .repartition(Repartitioned.as("mine"))
            .mapValues(value -> value)
            .to("out");
        return builder.build();
    }
}
