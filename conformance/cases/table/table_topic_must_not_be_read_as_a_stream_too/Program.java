import org.apache.kafka.streams.StreamsBuilder;

/** A topic is read as a table or as a stream, not as both. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.table("in");
        builder.stream("in");
    }
}
