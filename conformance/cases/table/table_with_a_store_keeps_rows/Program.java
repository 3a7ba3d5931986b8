import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;

/** A table with a store writes its changelog; a row has the time of its record, even if that is older. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.table("in", Materialized.as("rows")).toStream().to("out");
    }
}
