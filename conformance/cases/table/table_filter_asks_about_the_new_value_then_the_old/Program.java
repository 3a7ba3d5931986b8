import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** A filter with old values asks its predicate about both; the mapper above is asked about both too. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Materialized.as("rows"));
        table.mapValues(value -> {
            log.add("map " + value);
            return value;
        }).filter((key, value) -> {
            log.add("filter " + value);
            return Integer.parseInt(value) % 2 == 0;
        }).toStream().to("out");
    }
}
