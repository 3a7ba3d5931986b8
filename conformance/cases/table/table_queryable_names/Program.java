import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** Only a store that was given a name can be queried by it. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        List<KTable<?, ?>> views = new ArrayList<>();
        views.add(table);
        views.add(table.filter((key, value) -> true));
        views.add(table.filter((key, value) -> true, Materialized.as("kept")));
        views.add(table.filterNot((key, value) -> true, Materialized.with(Serdes.String(), Serdes.String())));
        views.add(table.mapValues(value -> value, Materialized.as("mapped")));
        views.add(table.join(table, (one, other) -> one));
        views.add(table.join(table, (one, other) -> one, Materialized.with(Serdes.String(), Serdes.String())));
        views.add(table.join(table, (one, other) -> one, Materialized.as("joined")));
        views.add(table.groupBy((key, value) -> KeyValue.pair(key, value)).count());
        views.add(table.groupBy((key, value) -> KeyValue.pair(key, value)).count(Materialized.as("counts")));
        views.add(table.suppress(Suppressed.<String>untilTimeLimit(Duration.ofMillis(1), BufferConfig.unbounded()).withName("held")));
        views.add(builder.table("other", Materialized.as("rows")));
        views.add(builder.stream("third").toTable());
        views.add(builder.stream("fourth").toTable(Materialized.as("fourths")));
        for (KTable<?, ?> view : views) {
            log.add(view.queryableStoreName() == null ? "None" : view.queryableStoreName());
        }
    }
}
