import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.TimestampedKeyValueStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;

/** The rows of a global table, with their times, read by a processor. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        class Ask extends ContextualProcessor<String, String, String, String> {
            public void process(Record<String, String> record) {
                TimestampedKeyValueStore<String, String> rows = context().getStateStore("rows");
                ValueAndTimestamp<String> row = rows.get(record.key());
                context().forward(record.withValue(record.value() + " " + (row == null ? "none" : row.value() + "@" + row.timestamp())));
            }
        }
        builder.globalTable("right", Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("rows"));
        builder.<String, String>stream("left").process(Ask::new).to("out");
    }
}
