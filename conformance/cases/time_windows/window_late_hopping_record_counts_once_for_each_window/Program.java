import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;

/** A late record counts as dropped for each closed window, and is still taken by the others. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
        KTable<Windowed<String>, String> sums = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(15)).advanceBy(Duration.ofMillis(5)))
            .aggregate(() -> "0", (key, value, total) -> total + "+" + value, Materialized.as("sums"));
        sums.toStream((key, total) -> key.toString()).to("out");
    }
}
