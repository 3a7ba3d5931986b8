import java.util.Properties;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/** Which serdes write the topic before the join, and read the result's key: those of Joined, else the stream's. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        Serde<String> text = Serdes.String();
        KStream<String, String> left = builder.stream("left", Consumed.with(text, text)).selectKey((key, value) -> key);
        KTable<String, String> right = builder.table("right", Consumed.with(text, text));
        left.join(right, (l, r) -> l + "-" + r).to("out");
        left.join(right, (l, r) -> l + "-" + r, Joined.with(new Loud("k"), new Loud("v"), new Loud("o"), "named")).to("out2");
        builder.stream("plain", Consumed.with(text, text)).join(right, (l, r) -> l + "-" + r).to("out3");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Loud.class);
        config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Loud.class);
    }

    public static class Loud extends Serdes.WrapperSerde<String> {
        public Loud() {
            this("!");
        }

        public Loud(String mark) {
            super(
                (topic, value) -> value == null ? null : (value + mark).getBytes(),
                (topic, data) -> data == null ? null : new String(data).substring(0, new String(data).length() - 1)
            );
        }
    }
}
