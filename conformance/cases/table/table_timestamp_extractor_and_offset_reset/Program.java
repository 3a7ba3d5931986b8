import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;

/** A table's source takes the options of Consumed. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        Consumed<String, String> source = Consumed.<String, String>with((record, partitionTime) -> Long.parseLong((String) record.value()))
            .withOffsetResetPolicy(org.apache.kafka.streams.AutoOffsetReset.latest());
        builder.table("in", source, Materialized.as("rows")).toStream().to("out");
    }
}
