import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/** Behind a repartition a record has the place it has in the internal topic. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .filter((key, value) -> !value.equals("skip"))
            .repartition(Repartitioned.as("again"))
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
