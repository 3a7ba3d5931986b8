import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** Old values go through views of views; each function is asked about them. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> view = builder.<String, String>table("in").mapValues(value -> {
            log.add("shout " + value);
            return value.toUpperCase();
        }).filter((key, value) -> {
            log.add("keep " + value);
            return !value.equals("X");
        }).mapValues(value -> value + "!");
        view.groupBy((key, value) -> KeyValue.pair(value, key)).reduce((total, value) -> total + "+" + value, (total, value) -> total + "-" + value).toStream().to("out");
    }
}
