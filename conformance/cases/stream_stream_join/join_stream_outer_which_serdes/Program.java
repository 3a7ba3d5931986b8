import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.StreamJoined;

/**
 * Which serdes write the topics and the stores of a outer join: those of StreamJoined, for topics else the stream's
 * own, for stores else the defaults.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        Serde<String> text = Serdes.String();
        KStream<String, String> left = builder.stream("left", Consumed.with(text, text)).selectKey((key, value) -> key);
        KStream<String, String> right = builder.stream("right", Consumed.with(text, text));
        KStream<String, String> rekeyed = right.selectKey((key, value) -> key);
        JoinWindows windows = JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMillis(10L));
        left.outerJoin(right, (l, r) -> l + "-" + r, windows).to("out", Produced.with(text, text));
        left.outerJoin(
            rekeyed,
            (l, r) -> l + "-" + r,
            windows,
            StreamJoined.with(new Loud("k"), new Loud("l"), new Loud("r")).withName("three").withStoreName("kept")
        ).to("out2");
        right.outerJoin(
            right, (l, r) -> l + "-" + r, windows, StreamJoined.with(text, (Serde<String>) null, (Serde<String>) null).withName("key").withStoreName("key")
        ).to("out3");
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
