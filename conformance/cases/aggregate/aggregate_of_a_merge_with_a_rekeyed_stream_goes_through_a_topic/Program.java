import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/** A merged stream is repartitioned if one of its parts must be. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> one = builder.stream("one");
        KStream<String, String> two = builder.<String, String>stream("two").selectKey((key, value) -> value);
        one.merge(two).groupByKey().count(Materialized.as("counts")).toStream().to("out");
    }
}
