import org.apache.kafka.streams.StreamsBuilder;

/** A topic is read as a table once; a second table, or a stream, is refused. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.table("in");
        builder.table("in");
    }
}
