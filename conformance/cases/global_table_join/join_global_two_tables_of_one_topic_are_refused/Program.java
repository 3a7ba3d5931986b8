import org.apache.kafka.streams.StreamsBuilder;

/** A topic can feed one global table only. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.globalTable("right");
        builder.globalTable("right");
    }
}
