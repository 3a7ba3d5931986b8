import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;

/** Headers are written to the internal topic and read from it again. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .selectKey((key, value) -> value)
            .repartition(Repartitioned.as("by-value"))
            .to("out");
        return builder.build();
    }
}
