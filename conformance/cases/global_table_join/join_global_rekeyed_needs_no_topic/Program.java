import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/** A rekeyed stream needs no topic before a join with a global table, but one after it, where keys meet. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.<String, String>stream("left").selectKey((key, value) -> value);
        GlobalKTable<String, String> right = builder.globalTable("right");
        KStream<String, String> joined = left.leftJoin(right, (key, value) -> key, (l, r) -> l + "-" + r);
        joined.to("out");
        joined.groupByKey().count(Materialized.as("counts")).toStream().to("counts", Produced.valueSerde(Serdes.Long()));
    }
}
