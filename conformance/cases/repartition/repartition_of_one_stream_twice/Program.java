import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Repartitioned;

/** Two repartitions of one stream are two topics and two sub-topologies. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.repartition(Repartitioned.as("one")).to("out");
        stream.repartition(Repartitioned.as("two")).mapValues(value -> value + "2").to("out");
        return builder.build();
    }
}
