import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KTable;

/** Without Grouped the defaults write the topic, whatever the table's serdes are. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, Long> table = builder.table("in", Consumed.with(Serdes.String(), Serdes.Long()));
        table.groupBy((key, value) -> KeyValue.pair(key.substring(0, 1), String.valueOf(value))).reduce((total, value) -> total + value, (total, value) -> total + "-").toStream().to("out");
    }
}
