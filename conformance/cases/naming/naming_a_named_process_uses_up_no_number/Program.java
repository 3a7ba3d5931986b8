import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.Record;

/** process and process_values with a name use up no number, unlike every other verb. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .process(PassOn::new, Named.as("process"))
            .peek((key, value) -> { })
            .processValues(PassValueOn::new, Named.as("process-values"))
            .peek((key, value) -> { })
            .process(PassOn::new)
            .processValues(PassValueOn::new)
            .to("out");
        return builder.build();
    }

    static class PassOn extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record);
        }
    }

    static class PassValueOn extends ContextualFixedKeyProcessor<String, String, String> {
        public void process(FixedKeyRecord<String, String> record) {
            context().forward(record);
        }
    }
}
