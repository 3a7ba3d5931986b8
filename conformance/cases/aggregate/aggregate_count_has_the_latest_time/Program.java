import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;

/** A count has the time of the latest record of its key, not of the last one. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>stream("in").groupByKey().count(Materialized.as("counts")).toStream().to("out");
    }
}
