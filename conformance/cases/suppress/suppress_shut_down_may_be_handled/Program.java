import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;

/** A full buffer is a failure of its node like any other: if its handler goes on, the rows stay. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> table = builder.table("in", Consumed.with(Serdes.String(), Serdes.String()));
        KTable<String, Long> counts = table.groupBy((key, value) -> KeyValue.pair(value, key)).count();
        counts.suppress(Suppressed.untilTimeLimit(Duration.ofMillis(3), BufferConfig.maxRecords(1L).shutDownWhenFull())).toStream().to("out");
        counts.toStream().to("raw");
    }

    @Override
    public void configure(Properties config) {
        config.put(StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG, LogAndContinueProcessingExceptionHandler.class);
    }
}
