import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.TimeWindows;

/** Final results of a stream with new keys. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String()));
        stream.groupBy((key, value) -> value, Grouped.with(Serdes.String(), Serdes.String())).windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(10)))
            .emitStrategy(EmitStrategy.onWindowClose()).count().toStream((key, count) -> key.toString()).to("out");
    }
}
