import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;

/** All aggregations of a grouping with a name share its topic. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped =
            builder.<String, String>stream("in").groupBy((key, value) -> value, Grouped.as("shared"));
        grouped.count().toStream().to("counts");
        grouped.reduce((aggregate, value) -> aggregate + value).toStream().to("sums");
        grouped.aggregate(() -> "", (key, value, total) -> total + value).toStream().to("totals");
    }
}
