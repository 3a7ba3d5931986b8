import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;

/** to_table makes changes of records; it has a store only if that has a name. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in");
        stream.toTable().toStream().to("bare");
        stream.toTable(Materialized.as("rows")).toStream().to("stored");
        stream.toTable(Named.as("mine")).filter((key, value) -> !value.equals("2")).toStream().to("named");
        stream.toTable(Named.as("yours"), Materialized.as("more")).filter((key, value) -> !value.equals("2")).toStream().to("both");
        stream.toTable(Materialized.with(Serdes.String(), null)).toStream().to("serdes");
    }
}
