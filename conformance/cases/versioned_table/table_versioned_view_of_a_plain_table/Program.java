import java.time.Duration;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** A view may be kept in a versioned store though the table above is not versioned. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        KTable<String, String> kept = table.filter((key, value) -> !value.equals("c"), Materialized.as(Stores.persistentVersionedKeyValueStore("kept", Duration.ofMinutes(1))));
        kept.toStream().to("out");
        kept.filter((key, value) -> !value.equals("d")).toStream().to("below");
        KTable<String, String> shouts = table.mapValues(value -> value.toUpperCase(), Materialized.as(Stores.persistentVersionedKeyValueStore("shouts", Duration.ofMinutes(1))));
        shouts.toStream().to("shouts");
        shouts.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("counts");
    }
}
