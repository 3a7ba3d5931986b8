import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/** Topic, partition and offset of the input are the same for every record that comes from it. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(List.of("left", "right"))
            .flatMapValues(value -> List.of(value.split("")))
            .process(Where::new)
            .to("out");
        return builder.build();
    }

    static class Where extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            RecordMetadata metadata = context().recordMetadata().get();
            String where = metadata.topic() + " " + metadata.partition() + " " + metadata.offset();
            context().forward(record.withValue(record.value() + " " + where));
        }
    }
}
