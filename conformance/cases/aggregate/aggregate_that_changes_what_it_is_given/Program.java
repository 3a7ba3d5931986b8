import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** An aggregator may change its aggregate and return it. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, List<String>> table = builder.<String, String>stream("in").groupByKey().aggregate(
            () -> new ArrayList<String>(),
            (key, value, words) -> {
                List<String> more = new ArrayList<>(words);
                more.add(value);
                return more;
            },
            Materialized.<String, List<String>, KeyValueStore<Bytes, byte[]>>as("lists").withValueSerde(new Words())
        );
        table.filter((key, words) -> words.size() < 3).toStream().mapValues(words -> words == null ? null : String.join(" ", words)).to("few");
        table.toStream().mapValues(words -> String.join(" ", words)).to("out");
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
