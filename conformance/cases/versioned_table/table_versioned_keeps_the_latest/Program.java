import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** A versioned table forwards each record, out of order or not; what is too old for its history is dropped. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Materialized.as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMinutes(1))));
        table.toStream().to("out");
    }
}
