import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** A table uses up three numbers: its store's, if that has no name, its source's and its own. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.table("one").toStream().to("out");
        builder.table("two", Materialized.as("two-store")).toStream().to("out");
        builder.table("three", Consumed.as("mine")).toStream().to("out");
        builder.table("four", Consumed.as("other"), Materialized.as("four-store")).toStream().to("out");
        builder.table("five", Materialized.<String, String, KeyValueStore<Bytes, byte[]>>with(null, null).withCachingDisabled()).toStream().to("out");
        builder.stream("six").to("out");
    }
}
