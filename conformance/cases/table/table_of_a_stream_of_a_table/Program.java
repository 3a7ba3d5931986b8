import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** Tables and streams turn into each other; numbers go on. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        KTable<String, String> again = table.toStream().filter((key, value) -> value != null).toTable(Materialized.as("again"));
        again.toStream().toTable().mapValues(value -> value + "!").toStream().to("out");
    }
}
