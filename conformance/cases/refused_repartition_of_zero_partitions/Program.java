import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;

/** A repartition topic must have at least one partition. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in").repartition(Repartitioned.numberOfPartitions(0)).to("out");
        return builder.build();
    }
}
