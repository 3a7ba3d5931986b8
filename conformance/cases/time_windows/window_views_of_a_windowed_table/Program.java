import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;

/** Tables of windows can be filtered and mapped like any table. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
        KTable<Windowed<String>, String> sums = grouped.windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMillis(10), Duration.ofMillis(10)))
            .aggregate(() -> "0", (key, value, total) -> total + "+" + value, Materialized.as("sums"));
        sums.toStream((key, total) -> key.toString()).to("out");
        sums.filter((key, total) -> !total.contains("9")).toStream((key, total) -> key.toString()).to("kept");
        sums.mapValues(total -> total.length()).toStream((key, total) -> key.toString()).mapValues(length -> String.valueOf(length)).to("lengths");
    }
}
