import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;

/** A record of a global table that cannot be read is skipped and counted in the driver, whatever the handler. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> left = builder.stream("left");
        GlobalKTable<String, Integer> right = builder.globalTable("right", Consumed.with(Serdes.String(), Serdes.Integer()));
        left.leftJoin(right, (key, value) -> key, (l, r) -> l + (r == null ? 0 : r)).to("out");
    }
}
