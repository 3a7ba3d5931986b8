import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Repartitioned;

/** Repartitions before and after a merge give four sub-topologies, numbered as they were drawn. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> one = builder.<String, String>stream("one").repartition(Repartitioned.as("r-one"));
        KStream<String, String> two = builder.<String, String>stream("two").repartition(Repartitioned.as("r-two"));
        KStream<String, String> three = builder.stream("three");
        one.merge(two).repartition(Repartitioned.as("r-both")).merge(three).to("out");
        return builder.build();
    }
}
