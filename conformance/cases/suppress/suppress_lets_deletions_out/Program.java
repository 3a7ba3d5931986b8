import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** Deletions are let out like values, of rows that were never let out too; each with its record's headers. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>table("in").suppress(Suppressed.untilTimeLimit(Duration.ofMillis(3), BufferConfig.unbounded())).toStream().to("out");
    }
}
