import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyConfig;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.Suppressed;

/** With required names, a buffer without a changelog needs none. */
public class Program implements Case {
    public Topology topology(Log log) {
        Properties config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, "conformance");
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        config.put(StreamsConfig.ENSURE_EXPLICIT_INTERNAL_RESOURCE_NAMING_CONFIG, true);
        StreamsBuilder builder = new StreamsBuilder(new TopologyConfig(new StreamsConfig(config)));
        KTable<String, String> rows = builder.table("in", Materialized.as("rows"));
        rows.suppress(Suppressed.untilTimeLimit(Duration.ofMillis(5), BufferConfig.unbounded().withLoggingDisabled())).toStream().to("out");
        rows.suppress(Suppressed.<String>untilTimeLimit(Duration.ofMillis(5), BufferConfig.unbounded()).withName("held")).toStream().to("named");
        return builder.build(config);
    }
}
