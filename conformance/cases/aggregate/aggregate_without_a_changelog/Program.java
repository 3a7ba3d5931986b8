import java.util.Map;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** With logging disabled there is no changelog; one in memory is written as any other. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.<String, String>stream("in").groupByKey();
        grouped.count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("silent").withLoggingDisabled()).toStream().to("silent");
        grouped.count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("memory").withStoreType(Materialized.StoreType.IN_MEMORY))
            .toStream().to("memory");
        grouped.count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("disk").withStoreType(Materialized.StoreType.ROCKS_DB)
            .withLoggingEnabled(Map.of("retention.ms", "1000"))).toStream().to("disk");
    }
}
