import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Repartitioned;

/** With ensure.explicit.internal.resource.naming a program whose stores and topics have names is built. */
public class Program implements Case {
    public Topology topology(Log log) {
        Properties config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, "conformance");
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "nowhere:9092");
        config.put(StreamsConfig.ENSURE_EXPLICIT_INTERNAL_RESOURCE_NAMING_CONFIG, true);
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        StreamsBuilder builder = new StreamsBuilder(new TopologyConfig(new StreamsConfig(config)));
        KStream<String, String> stream = builder.stream("in");
        stream.groupBy((key, value) -> value).count(Materialized.as("counts")).toStream().to("out");
        stream.groupBy((key, value) -> value, Grouped.as("words")).count(Materialized.as("more")).toStream().to("out");
        stream.repartition(Repartitioned.as("again")).toTable(Materialized.as("table"));
        builder.<String, String>table("t", Consumed.as("mine"), Materialized.as("t-store")).filter((key, value) -> true);
        return builder.build();
    }
}
