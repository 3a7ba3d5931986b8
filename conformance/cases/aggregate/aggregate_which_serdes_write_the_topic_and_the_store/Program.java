import java.util.Properties;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** A grouping without options has the stream's serdes; one with options forgets those it does not name. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        Serde<String> text = Serdes.String();
        KStream<String, String> stream = builder.stream("in", Consumed.with(text, text));
        KStream<String, String> rekeyed = stream.selectKey((key, value) -> value);
        stream.groupByKey().reduce((a, v) -> a + v, Materialized.as("plain")).toStream().to("plain");
        stream.groupByKey(Grouped.as("named")).reduce((a, v) -> a + v, Materialized.as("named")).toStream().to("named");
        stream.groupByKey(Grouped.keySerde(text)).reduce((a, v) -> a + v, Materialized.as("key")).toStream().to("key");
        stream.groupByKey(Grouped.valueSerde(text)).reduce((a, v) -> a + v, Materialized.as("value")).toStream().to("value");
        stream.groupBy((key, value) -> value).reduce((a, v) -> a + v, Materialized.as("by")).toStream().to("by");
        rekeyed.groupByKey().reduce((a, v) -> a + v, Materialized.as("rekeyed")).toStream().to("rekeyed");
        stream.groupByKey().reduce(
            (a, v) -> a + v,
            Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("own").withKeySerde(new Shout()).withValueSerde(new Shout())
        ).toStream().to("own");
        stream.groupByKey().<String>aggregate(() -> "s", (k, v, a) -> a + v, Materialized.as("agg")).toStream().to("agg");
        stream.groupByKey().<String>aggregate(() -> "s", (k, v, a) -> a + v).toStream().to("agg2");
        stream.groupByKey(Grouped.as("counted")).count(Materialized.as("count")).toStream().to("count");
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
