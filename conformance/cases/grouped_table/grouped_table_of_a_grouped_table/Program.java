import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KTable;

/** An aggregate of a grouped table can be grouped again. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, Long> byValue = builder.<String, String>table("in").groupBy((key, value) -> KeyValue.pair(value, key)).count();
        byValue.groupBy((value, count) -> KeyValue.pair(String.valueOf(count), value), Grouped.with(Serdes.String(), Serdes.String())).count().toStream().to("out");
    }
}
