import java.util.Properties;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** Who gives the serdes of a table's store: its own Materialized, if one is given, and nobody above it. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        Serde<String> text = Serdes.String();
        Materialized<String, String, KeyValueStore<Bytes, byte[]>> both =
            Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("both").withKeySerde(new Shout()).withValueSerde(new Shout());
        builder.table("one", Consumed.with(text, text), Materialized.as("one")).toStream().to("one-out");
        builder.table("two", Consumed.with(text, text), both).toStream().to("two-out");
        builder.table("three", Consumed.with(null, null), Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("three").withKeySerde(text).withValueSerde(text))
            .toStream().to("three-out");
        builder.table("four", Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("four").withKeySerde(text).withValueSerde(text))
            .toStream().to("four-out");
        KStream<String, String> stream = builder.stream("in", Consumed.with(text, text));
        stream.toTable(Materialized.as("five")).toStream().to("five-out");
        stream.toTable(Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("six").withKeySerde(text)).toStream().to("six-out");
        stream.toTable().toStream().to("seven-out");
        KTable<String, String> table = builder.table("eight", Consumed.with(text, text));
        table.filter((key, value) -> true, Materialized.as("eight")).toStream().to("eight-out");
        table.filter((key, value) -> true).toStream().to("nine-out");
        table.mapValues(value -> value, Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("ten")).toStream().to("ten-out");
        table.mapValues(value -> value, Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("eleven").withValueSerde(text)).toStream().to("eleven-out");
        table.mapValues(value -> value).toStream().to("twelve-out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Shout.class);
        config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Shout.class);
    }

    public static class Shout extends Serdes.WrapperSerde<String> {
        public Shout() {
            super(
                (topic, value) -> value == null ? null : value.toUpperCase().getBytes(),
                new StringDeserializer()
            );
        }
    }
}
