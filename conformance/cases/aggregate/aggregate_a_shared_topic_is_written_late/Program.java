import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;

/** A topic that is used again is drawn again: what was said in between comes before it. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in");
        KGroupedStream<String, String> grouped = stream.groupBy((key, value) -> value, Grouped.as("shared"));
        grouped.count().toStream().to("counts");
        KStream<String, String> between = builder.stream("other");
        between.groupBy((key, value) -> value).count().toStream().to("other-counts");
        stream.filter((key, value) -> true).to("copy");
        grouped.reduce((aggregate, value) -> aggregate + value).toStream().to("sums");
        builder.stream("third").to("third-copy");
    }
}
