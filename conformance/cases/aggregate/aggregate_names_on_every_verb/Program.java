import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;

/** Named names the node; the number it would have had is used up. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.<String, String>stream("in").groupByKey();
        grouped.count(Named.as("counting")).toStream(Named.as("stream-of-counts")).to("counts");
        grouped.count(Named.as("counting-again"), Materialized.as("counts")).toStream().to("counts");
        grouped.reduce((aggregate, value) -> value, Named.as("reducing"), Materialized.with(null, null)).toStream().to("latest");
        grouped.reduce((aggregate, value) -> value, Named.as("reducing-again"), Materialized.as("latest"));
        grouped.aggregate(
            () -> "", (key, value, total) -> total + value, Named.as("aggregating"), Materialized.as("totals")
        ).toStream().to("totals");
        grouped.count().toStream().to("counts");
    }
}
