import java.time.Duration;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** Below suppress a filter has the old values: those of the last change, not of what was let out. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> held = builder.<String, String>table("in").suppress(Suppressed.untilTimeLimit(Duration.ofMillis(3), BufferConfig.unbounded()));
        held.filter((key, value) -> !value.equals("x")).toStream().to("out");
        held.groupBy((key, value) -> KeyValue.pair(value, key)).count().toStream().to("counts");
    }
}
