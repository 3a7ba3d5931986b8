import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;

/** A reducer that gives null deletes the row; the next record begins anew. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>stream("in").groupByKey()
            .reduce((aggregate, value) -> value.equals("end") ? null : aggregate + value, Materialized.as("joined"))
            .toStream().to("out");
    }
}
