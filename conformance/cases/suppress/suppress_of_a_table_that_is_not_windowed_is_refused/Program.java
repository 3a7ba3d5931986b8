import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** Only windows close. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable table = builder.<String, String>table("in");
        table.suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded())).toStream().to("out");
    }
}
