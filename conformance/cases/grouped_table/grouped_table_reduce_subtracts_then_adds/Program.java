import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** A reduction begins with the first value; adder and subtractor are given the aggregate first. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.groupBy((key, value) -> KeyValue.pair(value.substring(0, 1), value.substring(1)))
            .reduce((total, value) -> added(log, value, total), (total, value) -> taken(log, value, total))
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
