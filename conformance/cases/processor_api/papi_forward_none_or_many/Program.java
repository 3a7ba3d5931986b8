import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A processor may forward nothing, or many records with keys, values and times of their own. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(Count::new).to("out");
        return builder.build();
    }

    static class Count extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            for (int number = 0; number < Integer.parseInt(record.value()); number++) {
                context().forward(new Record<>(record.key() + number, null, record.timestamp() + number));
            }
        }
    }
}
