import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/** Without a Grouped name the topic is called after the store, if that has a name. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> rekeyed = builder.<String, String>stream("in").selectKey((key, value) -> value);
        rekeyed.groupByKey().count(Materialized.as("counts")).toStream().to("out");
        rekeyed.groupByKey().reduce((aggregate, value) -> value, Materialized.as("latest")).toStream().to("out2");
    }
}
