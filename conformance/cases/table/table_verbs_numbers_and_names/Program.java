import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;

/** Numbers and names of the table's verbs; an unnamed Materialized burns a number. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.filter((key, value) -> Integer.parseInt(value) % 2 == 0).toStream().to("out");
        table.filter((key, value) -> Integer.parseInt(value) % 2 == 0, Named.as("my-filter")).toStream(Named.as("my-stream")).to("out");
        table.filter((key, value) -> Integer.parseInt(value) % 2 == 0, Materialized.with(null, null)).toStream().to("out");
        table.filter((key, value) -> Integer.parseInt(value) % 2 == 0, Named.as("kept"), Materialized.as("f-store")).toStream().to("out");
        table.filterNot((key, value) -> Integer.parseInt(value) % 2 == 0).toStream().to("out");
        table.filterNot((key, value) -> Integer.parseInt(value) % 2 == 0, Materialized.as("n-store")).toStream().to("out");
        table.mapValues(value -> value).toStream().to("out");
        table.mapValues(value -> value, Named.as("mapped")).toStream().to("out");
        table.mapValues(value -> value, Materialized.with(null, Serdes.String())).toStream().to("out");
        table.mapValues((key, value) -> key + value, Materialized.as("m-store")).toStream().to("out");
    }
}
