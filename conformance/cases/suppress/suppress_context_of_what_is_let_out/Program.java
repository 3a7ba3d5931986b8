import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/** What is let out has the place of the record that changed it last. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> held = builder.<String, String>table("in").suppress(Suppressed.untilTimeLimit(Duration.ofMillis(2), BufferConfig.unbounded()));
        ProcessorSupplier<String, String, String, String> place = () -> new ContextualProcessor<>() {
            @Override
            public void process(Record<String, String> record) {
                RecordMetadata metadata = context().recordMetadata().get();
                log.add(record.key() + " " + metadata.topic() + " " + metadata.partition() + " " + metadata.offset() + " " + record.timestamp());
                context().forward(record);
            }
        };
        held.toStream().process(place).to("out", Produced.with(Serdes.String(), Serdes.String()));
    }
}
