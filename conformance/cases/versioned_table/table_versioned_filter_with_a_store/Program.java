import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** A filter of a versioned table with a store of its own, versioned or not. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Materialized.as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMinutes(1))));
        KTable<String, String> plain = table.filter((key, value) -> "ace".contains(value), Materialized.as("plain"));
        plain.toStream().to("out");
        plain.filter((key, value) -> !value.equals("e")).toStream().to("below");
        KTable<String, String> versioned = table.filter((key, value) -> "ace".contains(value), Materialized.as(Stores.persistentVersionedKeyValueStore("kept", Duration.ofSeconds(30))));
        versioned.toStream().to("versions");
        versioned.filter((key, value) -> !value.equals("e")).toStream().to("below-versions");
    }
}
