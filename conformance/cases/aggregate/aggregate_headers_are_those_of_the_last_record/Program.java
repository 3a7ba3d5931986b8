import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;

/** A result has the headers of the record that made it; the changelog has none. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.<String, String>stream("in").groupByKey();
        grouped.count(Materialized.as("counts")).toStream().to("counts");
        grouped.reduce((aggregate, value) -> aggregate + value).toStream().to("sums");
    }
}
