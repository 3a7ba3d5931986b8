import org.apache.kafka.streams.StreamsBuilder;

/** Without a store a filter cannot know what it has let through: whatever it does not keep is a deletion. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>table("in").filter((key, value) -> Integer.parseInt(value) % 2 == 0).toStream().to("out");
    }
}
