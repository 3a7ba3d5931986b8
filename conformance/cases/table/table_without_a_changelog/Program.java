import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** With logging disabled a table has a store and no changelog. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.table("in", Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("rows").withLoggingDisabled()).toStream().to("out");
        builder.<String, String>stream("in2")
            .toTable(Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("more").withLoggingDisabled().withStoreType(Materialized.StoreType.IN_MEMORY))
            .toStream().to("out");
    }
}
