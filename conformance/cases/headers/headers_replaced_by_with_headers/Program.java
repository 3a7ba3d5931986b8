import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** with_headers gives a record with other headers; the first one keeps its own. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(Replace::new).to("out");
        return builder.build();
    }

    static class Replace extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record.withHeaders(new RecordHeaders().add("only", "this".getBytes())));
            context().forward(record.withHeaders(new RecordHeaders()));
            context().forward(record);
        }
    }
}
