import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Produced;

public class Program extends DslCase {
    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        builder.<String, String>stream("in")
            .mapValues(value -> value == null ? null : Integer.valueOf(value))
            .peek((key, value) -> log.add(key + "=" + value))
            .to("out", Produced.with(Serdes.String(), Serdes.Integer()));
    }
}
