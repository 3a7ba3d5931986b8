import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.WindowedSerdes;

/** A default serde of windowed keys is made of the settings for the key and the windows' size. */
public class Program extends DslCase {
    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        final KStream<Windowed<String>, String> stream = builder.stream("in");
        stream.to("same");
        stream.selectKey((key, value) -> key.toString()).to("out", Produced.keySerde(Serdes.String()));
    }

    @Override
    public void configure(final Properties config) {
        config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, WindowedSerdes.TimeWindowedSerde.class);
        config.put("windowed.inner.class.serde", Serdes.StringSerde.class.getName());
        config.put("window.size.ms", 10L);
    }
}
