import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** The old value is subtracted before the new one is added; a group begins with the initializer's. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.groupBy((key, value) -> KeyValue.pair(value.substring(0, 1), value.substring(1)))
            .aggregate(() -> "0", (key, value, total) -> added(log, value, total), (key, value, total) -> taken(log, value, total))
            .toStream().to("out");
    }

    String added(Log log, String value, String total) {
        log.add("add " + value + " to " + total);
        return total + "+" + value;
    }

    String taken(Log log, String value, String total) {
        log.add("take " + value + " from " + total);
        return total + "-" + value;
    }
}
