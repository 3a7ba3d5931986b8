import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Named;

/** to_stream with a mapper selects a key: what is aggregated below goes through a topic. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in");
        table.toStream((key, value) -> value + "!").to("out");
        table.toStream((key, value) -> value + "!", Named.as("streamed")).groupByKey().count().toStream().to("counts");
        table.toStream().groupByKey().count().toStream().to("same-key");
    }
}
