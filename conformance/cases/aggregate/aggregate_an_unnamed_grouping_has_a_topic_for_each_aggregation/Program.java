import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedStream;

/** Two aggregations of a grouping without a name have a topic each. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.<String, String>stream("in").groupBy((key, value) -> value);
        grouped.count().toStream().to("counts");
        grouped.reduce((aggregate, value) -> aggregate + value).toStream().to("sums");
    }
}
