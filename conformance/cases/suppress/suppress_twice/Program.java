import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** What one suppress lets out, another may hold back. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> once = builder.<String, String>table("in").suppress(Suppressed.untilTimeLimit(Duration.ofMillis(2), BufferConfig.unbounded()));
        once.suppress(Suppressed.untilTimeLimit(Duration.ofDays(1), BufferConfig.maxRecords(1))).toStream().to("out");
        once.toStream().to("once");
    }
}
