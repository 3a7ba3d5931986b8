import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KTable;

/** The first change of a count takes its initial 0 out of a group it never was in. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, Long> counts = builder.<String, String>stream("in").groupByKey().count();
        counts.groupBy((key, count) -> KeyValue.pair(String.valueOf(count), key), Grouped.with(Serdes.String(), Serdes.String())).count().toStream().to("out");
    }
}
