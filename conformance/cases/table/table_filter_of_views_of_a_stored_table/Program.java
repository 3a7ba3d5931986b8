import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** Old values come down through views that have no store. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Materialized.as("rows"));
        KTable<String, String> mapped = table.mapValues(value -> value + "0");
        mapped.filter((key, value) -> value.compareTo("35") < 0).filterNot((key, value) -> value.equals("20")).toStream().to("out");
        mapped.toStream().to("mapped");
    }
}
