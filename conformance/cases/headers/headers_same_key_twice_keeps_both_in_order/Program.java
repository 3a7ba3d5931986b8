import org.apache.kafka.common.header.Header;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Headers are a list: a key may come twice; the last one answers for it. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(Ask::new).to("out");
        return builder.build();
    }

    static class Ask extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            Header last = record.headers().lastHeader("h");
            context().forward(record.withValue(last == null ? "none" : new String(last.value())));
        }
    }
}
