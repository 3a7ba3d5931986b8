import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> rows = builder.table(
            "rows", Materialized.as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMillis(26))));
        builder.<String, String>stream("orders")
            .join(
                rows,
                (order, row) -> order + "-" + row,
                Joined.<String, String, String>as("orders").withGracePeriod(Duration.ofMillis(6)))
            .to("out");
    }
}
