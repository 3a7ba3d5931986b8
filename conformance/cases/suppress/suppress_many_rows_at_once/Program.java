import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** Rows that are due come out by their time, then by the bytes of their keys. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>table("in").suppress(Suppressed.untilTimeLimit(Duration.ofMillis(100), BufferConfig.unbounded())).toStream().to("out");
    }
}
