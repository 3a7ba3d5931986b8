import org.apache.kafka.streams.StreamsBuilder;

public class Program extends DslCase {
    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        builder.<String, String>stream("in")
            .filter((key, value) -> !"skip".equals(value))
            .selectKey((key, value) -> key == null ? value : null)
            .repartition()
            .to("out");
    }
}
