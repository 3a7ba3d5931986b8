import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.StreamJoined;

/** A join between filters, aggregates and another join, cached and not: the whole program, record by record. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> orders = builder.stream("left");
        KStream<String, String> payments = builder.stream("right");
        KStream<String, String> paid = orders.filter((key, value) -> !"skip".equals(value)).join(
            payments.mapValues(value -> value == null ? null : value.toLowerCase()), (l, r) -> l + "-" + r, JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10L), Duration.ofMillis(2L)),
            StreamJoined.<String, String, String>with(null, null, null).withName("paid"));
        paid.groupByKey().reduce((total, value) -> total + ";" + value, Materialized.as("all")).toStream().to("out");
        paid.leftJoin(orders, (l, r) -> l + "-" + r, JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(5L))).to("again");
    }
}
