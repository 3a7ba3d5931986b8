import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;

/** Keys may be numbers, also negative ones. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.stream("in", Consumed.with(Serdes.Long(), Serdes.String())).groupByKey()
            .windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(10))).count(Materialized.as("counts")).toStream().to("out");
    }
}
