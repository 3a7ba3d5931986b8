import org.apache.kafka.streams.StreamsBuilder;

/** A table that nobody looks into has no store: it forwards what comes, deletions of rows it never had included. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.table("in").toStream().to("out");
    }
}
