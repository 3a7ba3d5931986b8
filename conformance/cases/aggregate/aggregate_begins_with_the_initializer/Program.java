import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;

/** Each new key begins with what the initializer gives. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>stream("in").groupByKey().aggregate(() -> {
            log.add("start");
            return "0";
        }, (key, value, total) -> {
            log.add(key + " " + value + " " + total);
            return String.valueOf(Integer.parseInt(total) + Integer.parseInt(value));
        }, Materialized.as("sums")).toStream().to("out");
    }
}
