import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;

/** Two aggregations must not keep their results in one store. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.<String, String>stream("in").groupByKey();
        grouped.count(Materialized.as("counts"));
        grouped.count(Materialized.as("counts"));
    }
}
