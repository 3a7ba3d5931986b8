import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;

/** An aggregate always knows its old values, so a filter below it deletes only what was there. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, Long> counts = builder.<String, String>stream("in").groupByKey().count();
        counts.filter((key, count) -> count > 1).toStream().to("often");
        counts.filterNot((key, count) -> count > 1).toStream().to("once");
        KTable<String, String> joined = builder.<String, String>stream("in").groupByKey().reduce((aggregate, value) -> aggregate + value);
        joined.filter((key, value) -> value.length() == 2).toStream().to("two");
    }
}
