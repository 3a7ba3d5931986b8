import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** A table's store and another one must not have the same name. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.table("in", Materialized.as("store"));
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("store"), Serdes.String(), Serdes.String()));
    }
}
