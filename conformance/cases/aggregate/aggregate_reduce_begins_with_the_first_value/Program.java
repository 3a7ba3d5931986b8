import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;

/** The first value of a key is its aggregate; the reducer is not asked. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>stream("in").groupByKey().reduce((aggregate, value) -> {
            log.add(aggregate + " " + value);
            return aggregate + value;
        }, Materialized.as("joined")).toStream().to("out");
    }
}
