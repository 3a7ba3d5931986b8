import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;

/** Grouped names the repartition topic, its nodes and, for group_by, the node that selects the key. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in");
        stream.groupBy((key, value) -> value, Grouped.as("by-value")).count().toStream().to("out");
        stream.groupByKey(Grouped.as("by-key")).count().toStream().to("out");
        KStream<String, String> rekeyed = stream.selectKey((key, value) -> value);
        rekeyed.groupByKey(Grouped.as("rekeyed")).count().toStream().to("out");
    }
}
