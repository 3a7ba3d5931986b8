import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;

/** to_table after a key change goes through a topic, named after its node. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> rekeyed = builder.<String, String>stream("in").selectKey((key, value) -> value);
        rekeyed.toTable().toStream().to("bare");
        rekeyed.toTable(Materialized.as("rows")).toStream().to("stored");
        rekeyed.toTable(Named.as("mine"), Materialized.as("more")).toStream().to("named");
    }
}
