import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;

/** The stream of a table has its key: it can be aggregated where it is. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, Long> counts = builder.<String, String>stream("in").groupByKey().count(Materialized.as("counts"));
        KTable<String, Long> totals = counts.toStream().groupByKey().reduce((total, count) -> total + count, Materialized.as("totals"));
        totals.toStream().to("out");
    }
}
