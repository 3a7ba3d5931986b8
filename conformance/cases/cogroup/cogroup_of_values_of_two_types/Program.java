import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** Each stream has its own type of values; the aggregate has a third. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> words = builder.stream("words", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
        KGroupedStream<String, Long> numbers = builder.stream("numbers", Consumed.with(Serdes.String(), Serdes.Long())).groupByKey();
        words.<Integer>cogroup((key, value, total) -> total + value.length()).cogroup(numbers, (key, value, total) -> total + value.intValue())
            .aggregate(() -> 0, Materialized.<String, Integer, KeyValueStore<Bytes, byte[]>>as("sums").withKeySerde(Serdes.String()).withValueSerde(Serdes.Integer())).toStream().to("out");
    }
}
