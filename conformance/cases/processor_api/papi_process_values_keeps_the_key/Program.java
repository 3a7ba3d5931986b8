import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;

/** process_values gives records whose key stays; value, time and headers may change. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").processValues(Change::new).to("out");
        return builder.build();
    }

    static class Change extends ContextualFixedKeyProcessor<String, String, String> {
        public void process(FixedKeyRecord<String, String> record) {
            context().forward(record.withValue(record.key() + ":" + record.value()));
            context().forward(record.withTimestamp(record.timestamp() * 10));
            context().forward(record.withHeaders(new RecordHeaders().add("h", "new".getBytes())));
            context().forward(record);
        }
    }
}
