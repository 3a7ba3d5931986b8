import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;

/** Verbs that keep the key need no topic before an aggregation. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in");
        KStream<String, String> kept = stream.filter((key, value) -> true).mapValues(value -> value).peek((key, value) -> { });
        kept.flatMapValues(value -> List.of(value, value)).groupByKey().count().toStream().to("out");
    }
}
