import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** A {@link Case} written in the DSL: the builder is handed in and built afterwards. */
public abstract class DslCase implements Case {
    protected abstract void build(StreamsBuilder builder, Log log) throws Exception;

    @Override
    public final Topology topology(final Log log) throws Exception {
        final StreamsBuilder builder = new StreamsBuilder();
        build(builder, log);
        return builder.build();
    }
}
