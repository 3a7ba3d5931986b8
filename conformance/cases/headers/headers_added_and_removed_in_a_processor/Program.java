import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A processor may add headers to a record and remove all headers of a key. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(Stamp::new).to("out");
        return builder.build();
    }

    static class Stamp extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            record.headers().remove("old").add("new", "1".getBytes()).add("new", "2".getBytes());
            context().forward(record);
        }
    }
}
