import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;

/** A Grouped name of the form of a generated one leaves the nodes their numbers. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in");
        stream.groupBy((key, value) -> value, Grouped.as("KSTREAM-MINE-0000000042")).count().toStream().to("out");
        stream.groupBy((key, value) -> value, Grouped.as("mine-repartition")).count().toStream().to("out");
    }
}
