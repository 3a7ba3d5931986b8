import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;

/** If the handler goes on, the other results come out. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KGroupedStream<String, String> grouped = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
        grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(10))).emitStrategy(EmitStrategy.onWindowClose()).count(Materialized.as("counts"))
            .toStream().mapValues(Program::failOnTwo).selectKey((key, count) -> key.toString()).to("out");
    }

    static String failOnTwo(Long count) {
        if (count == 2) {
            throw new IllegalArgumentException("this is two");
        }
        return count.toString();
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
    }
}
