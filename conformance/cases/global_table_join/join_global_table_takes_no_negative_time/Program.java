import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** A record of a global table must have a time of 0 or later. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.globalTable("right", Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("rows"));
    }
}
