import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;

/** What a filter holds back does not move the time of the aggregation below it. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String()));
        stream.filter((key, value) -> !"x".equals(value)).groupByKey().windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(10)))
            .count(Materialized.as("some")).toStream((key, count) -> key.toString()).to("some");
        stream.groupByKey().windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(10)))
            .count(Materialized.as("all")).toStream((key, count) -> key.toString()).to("all");
    }
}
