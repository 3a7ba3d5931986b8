import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;

/** Only the aggregations of one grouping share a topic; another grouping needs another name. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.<String, String>stream("in").selectKey((key, value) -> value);
        stream.groupByKey(Grouped.as("shared")).count();
        stream.groupByKey(Grouped.as("shared")).count();
    }
}
