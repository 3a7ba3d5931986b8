import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.Stores;

/**
 * A record that waited has its own place and headers when it is joined, and the one in hand has its own again
 * afterwards.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        KTable<String, String> right = builder.table("right", Materialized.<String, String>as(Stores.persistentVersionedKeyValueStore("rows", Duration.ofMillis(600_000L))));
        left.leftJoin(right, (l, r) -> l + "-" + r, Joined.<String, String, String>as("joined").withGracePeriod(Duration.ofMillis(5L)))
            .process(() -> new ContextualProcessor<String, String, String, String>() {
                public void process(Record<String, String> record) {
                    log.add(record.value() + " " + context().recordMetadata().get().topic() + " " + context().recordMetadata().get().offset() + " " + record.timestamp());
                    context().forward(record);
                }
            })
            .to("out");
    }
}
