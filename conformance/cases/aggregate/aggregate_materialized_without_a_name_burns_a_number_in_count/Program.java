import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;

/** count(Materialized) without a name uses up a number that reduce and aggregate do not. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.<String, String>stream("in").groupByKey();
        grouped.count(Materialized.with(null, Serdes.Long())).toStream().to("counts");
        grouped.reduce((aggregate, value) -> value, Materialized.with(null, Serdes.String())).toStream().to("latest");
        grouped.aggregate(() -> "", (key, value, total) -> total + value, Materialized.with(null, Serdes.String()))
            .toStream().to("totals");
        grouped.count().toStream().to("counts-again");
    }
}
