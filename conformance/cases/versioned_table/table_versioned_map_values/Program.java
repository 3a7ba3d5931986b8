import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** A mapped versioned table forwards each change, with a store or without. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Materialized.as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMinutes(1))));
        table.mapValues(value -> value.toUpperCase()).toStream().to("out");
        table.mapValues((key, value) -> key + value, Materialized.as("kept")).toStream().to("kept");
    }
}
