import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Produced;

/** A rekeyed stream joined with two tables and a stream shares its topic where no name is given. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.<String, String>stream("left").selectKey((key, value) -> value.substring(0, 1));
        KTable<String, String> first = builder.table("first");
        KTable<String, String> second = builder.table("second");
        left.join(first, (l, r) -> l + "-" + r).to("out");
        left.leftJoin(second, (l, r) -> l + "-" + r).to("out2");
        left.leftJoin(second, (l, r) -> l + "-" + r, Joined.as("named")).to("out3");
        left.groupByKey().count().toStream().to("counts", Produced.valueSerde(Serdes.Long()));
    }
}
