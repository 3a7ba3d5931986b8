import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** Below an aggregate of a grouped table a filter has the old values. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, Long> counts = builder.<String, String>table("in").groupBy((key, value) -> KeyValue.pair(value, key)).count();
        counts.filter((value, count) -> count > 1).toStream().to("out");
        KTable<String, String> sums = builder.<String, String>table("more").groupBy((key, value) -> KeyValue.pair(value.substring(0, 1), value))
            .reduce((total, value) -> total + value, (total, value) -> total.replaceFirst(value, ""));
        sums.filter((key, value) -> value.length() > 4).toStream().to("sums");
    }
}
