import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** A filter of a versioned table forwards each change, whatever was and is kept. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Materialized.as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMinutes(1))));
        table.filter((key, value) -> "ace".contains(value)).toStream().to("out");
        table.filterNot((key, value) -> "ace".contains(value)).filter((key, value) -> !value.equals("b")).toStream().to("twice");
    }
}
