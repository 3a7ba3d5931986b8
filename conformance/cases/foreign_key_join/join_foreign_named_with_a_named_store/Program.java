import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyConfig;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TableJoined;

/** With TableJoined and Materialized all has a name: it is built even if names are required. */
public class Program implements Case {
    @Override
    public Topology topology(Log log) {
        Properties config = new Properties();
        config.put("application.id", "conformance");
        config.put("bootstrap.servers", "nowhere:9092");
        config.put("ensure.explicit.internal.resource.naming", "true");
        StreamsBuilder builder = new StreamsBuilder(new TopologyConfig(new StreamsConfig(config)));
        KTable<String, String> left = builder.table("left", Materialized.as("lefts"));
        KTable<String, String> right = builder.table("right", Materialized.as("rights"));
        KTable<String, String> results = left.join(
            right, Program::foreignKey, Program::joined, TableJoined.as("hop"), Materialized.as("results"));
        log.add(String.valueOf(results.queryableStoreName()));
        results.toStream().to("out");
        return builder.build();
    }

    static String foreignKey(String value) {
        int bar = value.indexOf('|');
        return bar < 0 || bar == value.length() - 1 ? null : value.substring(bar + 1);
    }

    static String joined(String left, String right) {
        return "(" + left + "," + right + ")";
    }
}
