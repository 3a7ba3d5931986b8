import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.TimestampExtractor;

/** No timestamp extractor is asked for the records of a global table. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        TimestampExtractor fails = (record, partitionTime) -> {
            throw new IllegalArgumentException("asked");
        };
        KStream<String, String> left = builder.stream("left");
        GlobalKTable<String, String> right = builder.globalTable("right", Consumed.with(Serdes.String(), Serdes.String()).withTimestampExtractor(fails));
        left.leftJoin(right, (key, value) -> key, (l, r) -> l + "-" + r).to("out");
    }
}
