import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** With stores above and of its own, a filter keeps and deletes what changes. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Materialized.as("rows"));
        table.filter((key, value) -> Integer.parseInt(value) % 2 == 0, Materialized.as("even")).toStream().to("out");
        table.filterNot((key, value) -> Integer.parseInt(value) % 2 == 0, Materialized.as("odd")).toStream().to("odd");
    }
}
