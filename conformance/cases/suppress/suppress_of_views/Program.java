import java.time.Duration;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** Views are held back like tables; one that has no old values is given them. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> view = builder.<String, String>table("in").filter((key, value) -> !value.equals("skip")).mapValues(value -> value.toUpperCase());
        view.suppress(Suppressed.untilTimeLimit(Duration.ofMillis(3), BufferConfig.unbounded())).mapValues(value -> value + "!").toStream().to("out");
    }
}
