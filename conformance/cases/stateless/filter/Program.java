import org.apache.kafka.streams.StreamsBuilder;

public class Program extends DslCase {
    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        builder.<String, String>stream("in")
            .filter((key, value) -> value.length() > 2)
            .to("out");
    }
}
