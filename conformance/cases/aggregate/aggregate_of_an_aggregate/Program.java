import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** An aggregate may be grouped and aggregated again, behind a topic of its own. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, Long> counts = builder.<String, String>stream("in")
            .groupBy((key, value) -> value, Grouped.as("words")).count(Materialized.as("counts"));
        KGroupedStream<String, String> sizes =
            counts.toStream().mapValues(String::valueOf).groupBy((word, count) -> count, Grouped.as("sizes"));
        sizes.count(Materialized.as("how-many")).toStream().to("out");
    }
}
