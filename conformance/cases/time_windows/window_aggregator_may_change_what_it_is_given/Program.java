import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.WindowStore;

/** An aggregate that is changed in place is changed in its own window only. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
        KTable<Windowed<String>, List<String>> sums = grouped.windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMillis(10), Duration.ofMillis(20)).advanceBy(Duration.ofMillis(5))).aggregate(
            () -> List.<String>of(), Program::collect, Materialized.<String, List<String>, WindowStore<Bytes, byte[]>>as("lists").withValueSerde(new Words()));
        sums.toStream((key, words) -> key.toString()).mapValues(words -> String.join(" ", words)).to("out");
        sums.filter((key, words) -> words.size() < 3).toStream((key, words) -> key.toString()).mapValues(words -> words == null ? null : String.join(" ", words)).to("few");
    }

    static List<String> collect(String key, String value, List<String> words) {
        return java.util.stream.Stream.concat(words.stream(), java.util.stream.Stream.of(value)).toList();
    }

    public static class Words extends Serdes.WrapperSerde<List<String>> {
        public Words() {
            super(
                (topic, words) -> words == null ? null : String.join(",", words).getBytes(),
                (topic, data) -> data == null ? null : Arrays.asList(new String(data).split(","))
            );
        }
    }
}
