import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/**
 * A stream joined with the table of its own records: the table first sees the record, or not, in the order drawn.
 */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in");
        KTable<String, String> table = stream.toTable();
        stream.leftJoin(table, (l, r) -> l + "-" + r).to("after");
    }
}
