import java.time.Duration;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** A stream can become a versioned table. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.<String, String>stream("in").selectKey((key, value) -> key == null ? "none" : key);
        KTable<String, String> table = stream.toTable(Materialized.as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMinutes(1))));
        table.toStream().to("out");
        table.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("counts");
    }
}
