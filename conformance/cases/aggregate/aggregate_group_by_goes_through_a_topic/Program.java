import org.apache.kafka.streams.StreamsBuilder;

/** A new key means a new partition: the records go through a topic named after the store. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>stream("in").groupBy((key, value) -> value).count().toStream().to("out");
    }
}
