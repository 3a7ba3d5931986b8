import org.apache.kafka.streams.StreamsBuilder;

/** A topic cannot feed a global table and a stream. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.stream("right").to("out");
        builder.globalTable("right");
    }
}
