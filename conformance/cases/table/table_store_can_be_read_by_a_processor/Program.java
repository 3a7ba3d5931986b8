import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.TimestampedKeyValueStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;

/** A processor may look into the store of a table or an aggregate; that unites their sub-topologies. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.table("table", Materialized.as("rows"));
        builder.<String, String>stream("counted").groupByKey().count(Materialized.as("counts"));
        builder.<String, String>stream("in").process(Look::new, "rows", "counts").to("out");
    }

    static class Look extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            TimestampedKeyValueStore<String, String> rows = context().getStateStore("rows");
            TimestampedKeyValueStore<String, Long> counts = context().getStateStore("counts");
            List<String> found = new ArrayList<>();
            for (ValueAndTimestamp<?> pair : Arrays.asList(rows.get(record.key()), counts.get(record.key()))) {
                if (pair != null) {
                    found.add(pair.value() + "@" + pair.timestamp());
                }
            }
            context().forward(record.withValue(String.join(" ", found)));
        }
    }
}
