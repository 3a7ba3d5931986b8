import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;

/** Aggregations drop and count records without a key or a value. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.<String, String>stream("in").groupByKey();
        grouped.count(Materialized.as("counts")).toStream().to("counts");
        grouped.reduce((aggregate, value) -> aggregate + value).toStream().to("sums");
    }
}
