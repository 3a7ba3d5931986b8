import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/** Without a cache the first change of an aggregate has the initializer's value as its old one: a filter sees it. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in");
        KTable<String, String> table = stream.groupByKey().aggregate(() -> "start", (key, value, total) -> total + "+" + value);
        table.filter((key, value) -> {
            log.add(key + " " + value);
            return !value.equals("start+x");
        }).toStream().to("out");
        stream.groupByKey().reduce((aggregate, value) -> aggregate + value).filter((key, value) -> {
            log.add(key + " " + value);
            return !value.equals("start+x");
        }).toStream().to("out2");
    }
}
